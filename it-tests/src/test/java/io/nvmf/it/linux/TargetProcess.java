package io.nvmf.it.linux;

import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@code nvmf target}, or {@code nvmf export}, in a process of its own, as a user runs it; killed when closed. Not thread safe. */
final class TargetProcess implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofSeconds(90);
    private static final int STOP_LIMIT_SECONDS = 30;

    private final List<String> command;
    private final Path log;
    private Process process;

    /**
     * @param log where the output goes; appended to
     * @param arguments those of {@code nvmf target}
     */
    TargetProcess(Path log, List<String> arguments) {
        this(log, "target", arguments);
    }

    private TargetProcess(Path log, String command, List<String> arguments) {
        this.log = log;
        this.command = new ArrayList<>(List.of(House.nvmf(), command));
        this.command.addAll(arguments);
    }

    /**
     * A target that serves one subsystem, whose namespaces are files; these, its log, and the socket {@code rpc} for
     * {@link #control} are in one directory.
     *
     * @param ports of loopback
     * @param files as {@code nvmf target --namespace file:} takes them
     */
    static TargetProcess ofFiles(Path directory, String nqn, List<Integer> ports, String... files) {
        List<String> arguments = new ArrayList<>(
                List.of("--nqn", nqn, "--rpc-socket", directory.resolve("rpc").toString()));
        ports.forEach(port -> arguments.addAll(List.of("--listen", "tcp://127.0.0.1:" + port)));
        for (String file : files) {
            arguments.addAll(List.of("--namespace", "file:" + directory.resolve(file)));
        }
        return new TargetProcess(directory.resolve("target.log"), arguments);
    }

    /** {@code nvmf export}. */
    static TargetProcess export(Path log, List<String> arguments) {
        return new TargetProcess(log, "export", arguments);
    }

    /** Returns when the target says that it is ready. */
    void start() throws IOException {
        File file = log.toFile();
        long before = file.length();
        process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(file))
                .start();
        await("the target says ready, see " + log)
                .atMost(START_LIMIT)
                .until(() -> !process.isAlive() || said(before).lines().anyMatch("ready"::equals));
        if (!process.isAlive()) {
            throw new IOException("the target ended with " + process.exitValue() + ": " + said(before));
        }
    }

    private String said(long fromByte) throws IOException {
        return Files.readString(log).substring((int) fromByte);
    }

    /** SIGKILL: no chance to save anything. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** SIGTERM; returns the exit status. */
    int stop() throws InterruptedException, IOException {
        process.destroy();
        if (!process.waitFor(STOP_LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("the target still runs " + STOP_LIMIT_SECONDS + " s after SIGTERM");
        }
        return process.exitValue();
    }

    /**
     * {@code nvmf ctl}; fails with what it said if it fails.
     *
     * @param socket that of a target's {@code --rpc-socket}
     * @param call the method, and its parameters in JSON
     */
    static String control(Path socket, String call) throws IOException, InterruptedException {
        String[] words = call.split(" ", 2);
        Process process = new ProcessBuilder(House.nvmf(), "ctl", "-s", socket.toString(), words[0], words[1])
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(said);
        }
        return said;
    }

    @Override
    public void close() {
        if (process != null) {
            process.destroyForcibly();
        }
    }
}
