package io.nvmf.it.linux;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * What an operator changes with {@code nvmf ctl} while the Linux kernel's own host is connected to our target, which runs
 * outside the guest. One boot for all checks.
 */
@GuestTest
class LinuxChangesIT {
    private static final String NQN = "nqn.2026-01.io.nvmf:linux-changes";

    @TestFactory
    Stream<DynamicTest> shouldTellTheLinuxHostOfChanges() throws Exception {
        Guest guest = new Guest("linux-changes");
        Path images = House.emptyDirectory("linux-changes-images");
        int port = House.freePort();
        int otherPort = House.freePort();
        try (TargetProcess target = TargetProcess.ofFiles(
                images, NQN, List.of(port, otherPort), "1,size=64m,block-size=512", "2,size=16m,block-size=4096")) {
            target.start();
            return guest.answering("ctl", call -> TargetProcess.control(images.resolve("rpc"), call))
                    .answering("image", name -> images.resolve(name) + "\n")
                    .run("linux-changes.sh", "10.0.2.2", "" + port, "" + otherPort, NQN)
                    .tests();
        }
    }
}
