package io.nvmf.it.linux;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Our initiator, by its commands, against the Linux kernel's own target in the guest. One boot for all checks. */
@GuestTest
class LinuxTargetIT {
    private static final int NVMET_PORT = 4420;

    @TestFactory
    Stream<DynamicTest> shouldUseTheLinuxTarget() throws Exception {
        int port = House.freePort();
        Guest guest = new Guest("linux-target").withForward(port, NVMET_PORT);
        return guest.answering("run", command -> run(command, guest.share()))
                .run("linux-target.sh", "" + port)
                .tests();
    }

    /** Runs a shell command with {@code nvmf} as the launcher; fails with what it said if it fails. */
    private static String run(String command, Path directory) throws IOException, InterruptedException {
        // Short runs: the JVM's start is most of each.
        String script = "export NVMF_JAVA_OPTS='-XX:TieredStopAtLevel=1 -XX:+UseSerialGC'; set -o pipefail; nvmf() { '"
                + House.nvmf() + "' \"$@\"; }; " + command;
        Process shell = new ProcessBuilder("bash", "-c", script)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
        shell.getOutputStream().close();
        String said = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (shell.waitFor() != 0) {
            throw new IOException(command + ": status " + shell.exitValue() + ": " + said);
        }
        return said;
    }
}
