package io.nvmf.it.linux;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Verbs from Java on soft-RoCE: the contract of RDMA providers, in a JVM inside the guest. One boot for all checks. */
@GuestTest
class VerbsIT {
    @TestFactory
    Stream<DynamicTest> shouldKeepTheContractOfRdmaProviders() throws Exception {
        Path program = House.TOP.resolve("nvmf-transport/target/test-classes");
        assertTrue(Files.isDirectory(program), "build the tests of nvmf-transport first: " + program);
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return new Guest("verbs")
                .run("verbs.sh", java, program + File.pathSeparator + System.getProperty("java.class.path"))
                .tests();
    }
}
