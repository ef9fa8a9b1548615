package io.nvmf.it.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How our programs run inside the guest, which has this machine's files: as {@code $SHARE/java CLASS ARGUMENT...}. Classes
 * come from an archive that is made here once, because loading and verifying them is most of a JVM's start there. Not
 * thread safe.
 */
final class GuestJava {
    /**
     * Under emulation optimized code has crashed, what the simpler compiler makes has not; and there it is the quicker one
     * to start.
     */
    private static final List<String> OPTIONS = List.of(
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xmx384m",
            "-XX:MaxDirectMemorySize=2g",
            "-XX:ErrorFile=/mnt/share/hs_err_%p.log");

    /** The programs of these tests, and the helpers that they share with others. */
    private static final String PROGRAMS = Stream.of("it-tests", "nvmf-target")
            .map(module ->
                    House.TOP.resolve(module).resolve("target/test-classes").toString())
            .collect(Collectors.joining(":"));

    private static Path archive;

    private GuestJava() {}

    /** Writes the script that starts a JVM, for the guest whose shared directory this is. */
    static void install(Path share) throws IOException, InterruptedException {
        List<String> command = command("-XX:SharedArchiveFile=" + archive(), classPath() + ":" + PROGRAMS);
        String words = command.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
        Path script = Files.writeString(share.resolve("java"), "#!/bin/sh\nexec " + words + " \"$@\"\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** Of the classes that a demo loads. Without it a JVM starts all the same. */
    private static Path archive() throws IOException, InterruptedException {
        if (archive == null) {
            // Another JVM may run other guests at the same time.
            Path made = House.emptyDirectory("java-" + ProcessHandle.current().pid())
                    .resolve("classes.jsa");
            List<String> command = command("-XX:ArchiveClassesAtExit=" + made, classPath());
            command.addAll(List.of("io.nvmf.tools.Nvmf", "demo", "--blocks", "1"));
            new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(made.resolveSibling("archive.log").toFile())
                    .start()
                    .waitFor();
            archive = made;
        }
        return archive;
    }

    private static List<String> command(String option, String classPath) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(OPTIONS);
        if (Runtime.version().feature() >= 24) {
            command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
        }
        command.addAll(List.of(option, "-cp", classPath));
        return command;
    }

    /** The jars that a user runs. */
    private static String classPath() throws IOException {
        try (Stream<Path> files = Files.list(House.TOP.resolve("tools/target/nvmf"))) {
            return files.map(Path::toString)
                    .filter(name -> name.endsWith(".jar"))
                    .sorted()
                    .collect(Collectors.joining(":"));
        }
    }
}
