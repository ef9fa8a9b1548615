package io.nvmf.it.linux;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One boot of the kernel guest ({@code it-tests/guest/guest}) with a script in it. While the script runs it may ask
 * this side to do something; answers are given on the thread that runs the guest. Not thread safe.
 */
final class Guest {
    /** What the script may ask for. */
    @FunctionalInterface
    interface Answer {
        /**
         * @param arguments the words after the verb
         * @return what the script is told; an exception tells it that this failed, and why
         */
        String to(String arguments) throws Exception;
    }

    private static final Path SCRIPTS = House.TOP.resolve("it-tests/guest");
    private static final int LIMIT_SECONDS = 420;
    private static final int JAVA_LIMIT_SECONDS = 600;
    private static final int JAVA_MEMORY_MIB = 2560;
    /** How a script ends when a JVM in the guest was killed by a signal of its own: SIGABRT. */
    private static final int JAVA_CRASHED = 134;

    private final Path share;
    private final List<String> command = new ArrayList<>();
    private final Map<String, Answer> answers = new HashMap<>();

    /** A guest whose shared directory, emptied now, is {@code it-tests/target/guest/NAME}. */
    Guest(String name) {
        share = House.emptyDirectory(name);
        command.addAll(List.of(SCRIPTS.resolve("guest").toString(), "-l", "" + LIMIT_SECONDS, "-s", share.toString()));
    }

    /** The directory that the script knows as {@code $SHARE}. */
    Path share() {
        return share;
    }

    Guest withProcessors(int processors) {
        command.addAll(List.of("-c", "" + processors));
        return this;
    }

    /** Makes the guest's TCP port reachable at 127.0.0.1 on {@code port}. */
    Guest withForward(int port, int guestPort) {
        command.addAll(List.of("-f", port + ":" + guestPort));
        return this;
    }

    /** Ends the guest after so many seconds. */
    Guest withLimit(int seconds) {
        command.addAll(List.of("-l", "" + seconds));
        return this;
    }

    /** Gives the guest a disk: a file or URI, as QEMU takes it. */
    Guest withDisk(String disk) {
        command.addAll(List.of("-d", disk));
        return this;
    }

    /** For a script that runs our programs inside, see {@link GuestJava}. */
    Guest withJava() throws IOException, InterruptedException {
        GuestJava.install(share);
        command.addAll(List.of("-m", "" + JAVA_MEMORY_MIB));
        return withLimit(JAVA_LIMIT_SECONDS);
    }

    Guest answering(String verb, Answer answer) {
        answers.put(verb, answer);
        return this;
    }

    /**
     * Boots, runs a script of {@code it-tests/guest} to its end and returns what it reported. When a JVM has crashed inside,
     * which emulation now and then makes it do, all is done once more.
     */
    Checks run(String script, String... arguments) throws IOException, InterruptedException {
        Path path = SCRIPTS.resolve(script);
        command.add(path.toString());
        command.addAll(List.of(arguments));
        Checks checks = boot(path);
        if (checks.status() != JAVA_CRASHED) {
            return checks;
        }
        System.out.println("guest: a JVM crashed under emulation, see " + share + "/hs_err*; once more");
        moveCrashReports();
        return boot(path);
    }

    private Checks boot(Path script) throws IOException, InterruptedException {
        Process guest = new ProcessBuilder(command).redirectErrorStream(true).start();
        List<String> said = new ArrayList<>();
        try (BufferedReader output = guest.inputReader(StandardCharsets.UTF_8)) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.startsWith("ASK ")) {
                    answer(line.split(" ", 4));
                } else {
                    System.out.println("guest: " + line);
                    said.add(line);
                }
            }
            return new Checks(script, said, guest.waitFor());
        } finally {
            guest.destroy();
        }
    }

    /** Out of the way of the second run, which looks for its own. */
    private void moveCrashReports() throws IOException {
        Path first = Files.createDirectories(share.resolve("crashed"));
        try (DirectoryStream<Path> reports = Files.newDirectoryStream(share, "hs_err*")) {
            for (Path report : reports) {
                Files.move(report, first.resolve(report.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    /** {@code question} is "ASK", an id, a verb and perhaps arguments. */
    private void answer(String[] question) {
        String reply;
        try {
            Answer answer = answers.get(question[2]);
            if (answer == null) {
                throw new IllegalArgumentException("nobody answers " + question[2]);
            }
            reply = "0\n" + answer.to(question.length > 3 ? question[3] : "");
        } catch (Exception e) {
            reply = "1\n" + e + "\n";
        }
        try {
            Path unfinished = Files.writeString(share.resolve(".answering"), reply);
            Files.move(unfinished, share.resolve("answer." + question[1]), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
