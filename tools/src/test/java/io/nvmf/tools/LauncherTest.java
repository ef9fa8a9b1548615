package io.nvmf.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code nvmf} in a tree of its own, with a java that prints its arguments and an mvn that copies nothing. */
class LauncherTest {
    private static final String JAVA_THAT_ARCHIVES =
            "for w; do case $w in -XX:ArchiveClassesAtExit=*) echo archive >\"${w#*=}\"; exit $ARCHIVED ;; esac; done\n"
                    + "echo \"$*\"\n";

    @TempDir
    private Path directory;

    private Path top;
    private Path jars;

    @BeforeEach
    void makeTree() throws IOException {
        Path project = Path.of("").toAbsolutePath().getParent();
        Assumptions.assumeTrue(Files.isExecutable(project.resolve("nvmf")), "not run from the source tree");
        top = Files.createDirectories(directory.resolve("a tree"));
        jars = top.resolve("tools/target/nvmf");
        Files.createDirectories(top.resolve("tools/src/main"));
        Files.createDirectories(top.resolve("tools/bin"));
        Files.writeString(top.resolve("pom.xml"), "");
        Files.writeString(top.resolve("tools/pom.xml"), "");
        Files.copy(project.resolve("nvmf"), top.resolve("nvmf"));
        assertTrue(top.resolve("nvmf").toFile().setExecutable(true));
        Files.copy(project.resolve("tools/bin/jdk.sh"), top.resolve("tools/bin/jdk.sh"));
        Files.createDirectories(directory.resolve("jdk/bin"));
        Files.writeString(directory.resolve("jdk/release"), "JAVA_VERSION=\"17.0.1\"\n");
        script("jdk/bin/java", JAVA_THAT_ARCHIVES);
        script("jdk/bin/javac", "");
        script("bin/mvn", "mkdir -p \"$JARS\"; touch \"$JARS/one.jar\"; exit $BUILT\n");
    }

    private void script(String name, String text) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + text);
        assertTrue(file.toFile().setExecutable(true));
    }

    private ProcessBuilder nvmf(String... words) {
        ProcessBuilder builder = new ProcessBuilder(words);
        builder.command().add(0, top.resolve("nvmf").toString());
        builder.environment().put("JAVA_HOME", directory.resolve("jdk").toString());
        builder.environment().merge("PATH", directory.resolve("bin").toString(), (path, first) -> first + ":" + path);
        builder.environment().put("JARS", jars.toString());
        builder.environment().put("BUILT", "0");
        builder.environment().put("ARCHIVED", "0");
        for (String name : new String[] {"NVMF_JAVA_OPTS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"}) {
            builder.environment().remove(name);
        }
        return builder.redirectErrorStream(true);
    }

    private static String said(ProcessBuilder builder, int status) throws Exception {
        Process process = builder.start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(status, process.waitFor(), text);
        return text;
    }

    @Test
    void shouldUseTheArchiveThatItHasMade() throws Exception {
        String first = said(nvmf("id-ctrl"), 0);
        assertTrue(first.contains("building nvmf4j"), first);
        String second = said(nvmf("id-ctrl"), 0);
        assertFalse(second.contains("building nvmf4j"), second);
        assertTrue(second.contains("-XX:SharedArchiveFile=" + jars.resolve("classes-17.jsa")), second);
        assertTrue(second.contains("-cp " + jars + "/* io.nvmf.tools.Nvmf id-ctrl"), second);
    }

    @Test
    void shouldDoWithoutAnArchiveThatWasNotFinished() throws Exception {
        ProcessBuilder builder = nvmf("id-ctrl");
        builder.environment().put("ARCHIVED", "1");
        said(builder, 0);
        String second = said(nvmf("id-ctrl"), 0);
        assertFalse(second.contains("building nvmf4j") || second.contains("SharedArchiveFile"), second);
    }

    @Test
    void shouldBuildAgainWhenABuildWasCutShort() throws Exception {
        ProcessBuilder cut = nvmf("id-ctrl");
        cut.environment().put("BUILT", "1");
        said(cut, 1);
        assertTrue(Files.exists(jars.resolve("one.jar")));
        String second = said(nvmf("id-ctrl"), 0);
        assertTrue(second.contains("building nvmf4j"), second);
    }

    @Test
    void shouldWaitWhileAnotherBuilds() throws Exception {
        said(nvmf("id-ctrl"), 0);
        Process builder;
        try {
            builder = new ProcessBuilder(
                            "flock", top.resolve("tools/target/nvmf-build.lock").toString(), "sh", "-c", "echo; cat")
                    .start();
        } catch (IOException e) {
            Assumptions.abort("flock(1) is not installed");
            return;
        }
        try {
            assertEquals('\n', builder.getInputStream().read());
            Process waiting = nvmf("id-ctrl").start();
            BufferedReader lines =
                    new BufferedReader(new InputStreamReader(waiting.getInputStream(), StandardCharsets.UTF_8));
            assertEquals("another nvmf is building nvmf4j…", lines.readLine());
            builder.getOutputStream().close();
            assertTrue(lines.readLine().endsWith("io.nvmf.tools.Nvmf id-ctrl"));
            assertEquals(0, waiting.waitFor());
        } finally {
            builder.destroy();
        }
    }

    @Test
    void shouldLeaveTheCollectorToWhoAsksForOne() throws Exception {
        String usual = said(nvmf("id-ctrl"), 0);
        assertTrue(usual.contains("-XX:+UseSerialGC"), usual);
        ProcessBuilder asked = nvmf("id-ctrl");
        asked.environment().put("NVMF_JAVA_OPTS", "-Xmx1g -XX:+UseZGC");
        String said = said(asked, 0);
        assertTrue(said.contains("-XX:+UseZGC") && !said.contains("SerialGC"), said);
    }
}
