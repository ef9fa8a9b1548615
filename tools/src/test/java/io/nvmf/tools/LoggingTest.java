package io.nvmf.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.target.backend.memory.MemoryBlockDevice;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a whole process logs: only there does the log start with the command. */
class LoggingTest {
    @Test
    void shouldKeepTheLogOfHostCommandsToThoseWhoAskForIt() throws Exception {
        try (LoopbackTarget target = LoopbackTarget.serve(512, new MemoryBlockDevice(1 << 20))) {
            assertEquals("", errorsOf("id-ctrl", target.subsystemUri()));
            String verbose = errorsOf("id-ctrl", target.subsystemUri(), "-v");
            assertTrue(verbose.matches("(?s)\\d{4}-\\d\\d-\\d\\dT.* INFO ControllerConnector - .*"), verbose);
        }
    }

    private static String errorsOf(String... words) throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Nvmf.class.getName()));
        line.addAll(List.of(words));
        Process process =
                new ProcessBuilder(line).redirectOutput(new File("/dev/null")).start();
        String errors = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), errors);
        return errors;
    }
}
