package io.nvmf.it.linux;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The Linux kernel's own host against our target, which runs outside the guest. One boot for all checks. */
@GuestTest
class LinuxHostIT {
    private static final String NQN = "nqn.2026-01.io.nvmf:linux-host";

    @TestFactory
    Stream<DynamicTest> shouldServeTheLinuxHost() throws Exception {
        Guest guest = new Guest("linux-host").withProcessors(2);
        Path images = House.emptyDirectory("linux-host-images");
        int port = House.freePort();
        try (TargetProcess target = TargetProcess.ofFiles(
                images, NQN, List.of(port), "1,size=400m,block-size=512", "2,size=64m,block-size=4096")) {
            target.start();
            return guest.answering("kill-target", none -> {
                        target.kill();
                        return "";
                    })
                    .answering("start-target", none -> {
                        target.start();
                        return "";
                    })
                    .answering("stop-target", none -> "exit status " + target.stop() + "\n")
                    .answering("image-blocks", name -> blocks(images.resolve(name)))
                    .run("linux-host.sh", "10.0.2.2", "" + port, NQN, House.TOP + "/nvmf-target/src")
                    .tests();
        }
    }

    /** The 512-byte blocks that a file takes on the disk, which Java does not tell. */
    private static String blocks(Path file) throws IOException {
        Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
        return new String(stat.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
