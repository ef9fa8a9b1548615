package io.nvmf.target.backend.file;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** A small file system of its own for a test, where the machine allows to mount one; elsewhere the test is skipped. */
final class Mount {
    interface Body {
        void run() throws Exception;
    }

    private Mount() {}

    static void withTmpfs(Path directory, String options, Body body) throws Exception {
        with(directory, List.of("-t", "tmpfs", "-o", options, "tmpfs"), body);
    }

    /** The simplest of all file systems: it has no fallocate and no direct I/O. */
    static void withRamfs(Path directory, Body body) throws Exception {
        with(directory, List.of("-t", "ramfs", "ramfs"), body);
    }

    static void remountReadOnly(Path directory) throws Exception {
        if (!exitsWell(List.of("mount", "-o", "remount,ro", directory.toString()))) {
            throw new IOException("cannot remount " + directory);
        }
    }

    private static void with(Path directory, List<String> what, Body body) throws Exception {
        List<String> command = new ArrayList<>(List.of("mount"));
        command.addAll(what);
        command.add(directory.toString());
        Assumptions.assumeTrue(exitsWell(command), "mounting is not allowed here");
        try {
            body.run();
        } finally {
            exitsWell(List.of("umount", directory.toString()));
        }
    }

    private static boolean exitsWell(List<String> command) throws InterruptedException {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            process.getInputStream().readAllBytes();
            return process.waitFor(30, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
