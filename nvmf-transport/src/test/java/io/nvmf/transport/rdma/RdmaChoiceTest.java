package io.nvmf.transport.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.transport.rdma.nativeverbs.NativeVerbs;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What {@code -Dnvmf.rdma} chooses, and what it says is missing, in a Java of its own each. */
class RdmaChoiceTest {
    private static final String EXPORT = "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED";

    /** Run there. */
    public static final class Ask {
        private Ask() {}

        public static void main(String[] arguments) {
            System.out.println(Rdma.unavailabilityCause());
        }
    }

    private static String ask(String classPath, String... options) throws Exception {
        List<String> command = new ArrayList<>(
                List.of(System.getProperty("java.home") + "/bin/java", "-XX:TieredStopAtLevel=1", "-cp", classPath));
        command.addAll(List.of(options));
        command.add(Ask.class.getName());
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertEquals(0, process.waitFor(), said);
        return said;
    }

    private static String classPath(boolean withDisni) {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> withDisni || !new File(entry).getName().startsWith("disni"))
                .filter(entry -> !new File(entry).getName().startsWith("slf4j-simple"))
                .filter(entry -> !entry.contains("slf4j-nop"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    @Test
    void shouldTakeTheLibrariesOfTheSystemWhenNothingIsSaid() {
        assertInstanceOf(NativeVerbs.class, Rdma.provider());
        assertInstanceOf(NativeVerbs.class, Rdma.named("native"));
    }

    @Test
    void shouldSaySoWhenTheNameIsUnknown() throws Exception {
        assertEquals(
                "-Dnvmf.rdma=Disni names no way to RDMA: say native or disni",
                ask(classPath(true), "-Dnvmf.rdma=Disni"));
    }

    @Test
    void shouldAskForTheJarWhenItIsMissing() throws Exception {
        assertEquals(
                "DiSNI is not in the class path: add the jar com.ibm.disni:disni:2.1, or leave out -Dnvmf.rdma=disni",
                ask(classPath(false), "-Dnvmf.rdma=disni", EXPORT));
    }

    @Test
    void shouldAskForTheOptionThatDisniNeeds() throws Exception {
        assertEquals("DiSNI needs the Java option " + EXPORT, ask(classPath(true), "-Dnvmf.rdma=disni"));
    }

    @Test
    void shouldAskForTheLibraryWhenItIsMissing() throws Exception {
        String said = ask(classPath(true), "-Dnvmf.rdma=disni", EXPORT, "-Djava.library.path=/nonexistent");
        assertTrue(
                said.endsWith(
                        "DiSNI cannot load libdisni.so: build it, name its directory with -Djava.library.path, and"
                                + " have librdmacm and libibverbs installed: no disni in java.library.path: /nonexistent"),
                said);
    }
}
