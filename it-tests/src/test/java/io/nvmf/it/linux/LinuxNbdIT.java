package io.nvmf.it.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** A machine whose disk is {@code nvmf export --nbd} of a namespace of our target, by two paths. One boot for all checks. */
@GuestTest
class LinuxNbdIT {
    private static final String NQN = "nqn.2026-01.io.nvmf:linux-nbd";

    private final Path images = House.emptyDirectory("linux-nbd-images");
    private final Path image = images.resolve("1");

    @TestFactory
    Stream<DynamicTest> shouldBeTheDiskOfALinuxMachine() throws Exception {
        int port = House.freePort();
        int otherPort = House.freePort();
        Path nbd = images.resolve("nbd");
        try (TargetProcess target =
                        TargetProcess.ofFiles(images, NQN, List.of(port, otherPort), "1,size=64m,block-size=4096");
                TargetProcess export = TargetProcess.export(
                        images.resolve("export.log"),
                        List.of("--nbd", "unix:" + nbd, "--reconnect-delay", "1", uri(port), uri(otherPort)))) {
            target.start();
            export.start();
            return new Guest("linux-nbd")
                    .withDisk("nbd+unix:///?socket=" + nbd)
                    .answering("path", what -> TargetProcess.control(images.resolve("rpc"), listenerCall(what, port)))
                    .answering("restart", none -> {
                        target.kill();
                        target.start();
                        return "";
                    })
                    .answering("image", this::check)
                    .run("linux-nbd.sh")
                    .tests();
        }
    }

    private static String uri(int port) {
        return "nvmf-tcp://127.0.0.1:" + port + "/" + NQN + "/1";
    }

    private static String listenerCall(String what, int port) {
        return "nvmf_subsystem_" + (what.equals("lose") ? "remove" : "add") + "_listener {\"nqn\":\"" + NQN
                + "\",\"listen_address\":{\"trtype\":\"tcp\",\"adrfam\":\"ipv4\",\"traddr\":\"127.0.0.1\",\"trsvcid\":\""
                + port + "\"}}";
    }

    /** Fails unless the image's file system has each file, by its name and SHA-256. */
    private String check(String namesAndSums) throws Exception {
        String[] words = namesAndSums.split(" ");
        for (int i = 0; i < words.length; i += 2) {
            Path file = images.resolve(words[i] + ".read");
            Process debugfs = new ProcessBuilder(
                            "/usr/sbin/debugfs", "-R", "dump /" + words[i] + " " + file, image.toString())
                    .redirectErrorStream(true)
                    .start();
            String said = new String(debugfs.getInputStream().readAllBytes());
            debugfs.waitFor();
            byte[] sum = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
            if (!HexFormat.of().formatHex(sum).equals(words[i + 1])) {
                throw new IOException("the image has something else as " + words[i] + ": " + said);
            }
        }
        return "";
    }
}
