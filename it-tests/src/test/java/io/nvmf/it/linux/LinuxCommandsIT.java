package io.nvmf.it.linux;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every command of nvme-cli against our target, which runs outside the guest, each with its status. One boot for all checks. */
@GuestTest
class LinuxCommandsIT {
    private static final String NQN = "nqn.2026-01.io.nvmf:linux-commands";

    @TestFactory
    Stream<DynamicTest> shouldAnswerEveryCommandOfTheLinuxHost() throws Exception {
        Guest guest = new Guest("linux-commands");
        Path images = House.emptyDirectory("linux-commands-images");
        int port = House.freePort();
        try (TargetProcess target = TargetProcess.ofFiles(
                images, NQN, List.of(port), "1,size=64m,block-size=512", "2,size=16m,block-size=4096")) {
            target.start();
            return guest.run("linux-commands.sh", "10.0.2.2", "" + port, NQN).tests();
        }
    }
}
