package io.nvmf.it.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A guest's report can fail: each way in which a script may not have proved what it should. */
class ChecksTest {
    private static final String PASSED_1 = "CHECK first PASS after 0 s";
    private static final String PASSED_2 = "CHECK second-one PASS after 2 s";

    @TempDir
    private Path directory;

    private Path script;

    @BeforeEach
    void writeScript() throws IOException {
        script = Files.writeString(
                directory.resolve("script.sh"),
                "check first true\nif true; then\n  check second-one shows x y\nfi\n# check is a word\nfinish\n");
    }

    @Test
    void shouldPassWhenEveryCheckPasses() throws IOException {
        assertEquals(List.of(), failedWhen(0, PASSED_1, PASSED_2, "CHECKS 0 failed"));
    }

    @Test
    void shouldFailByNameWhenACheckFails() throws IOException {
        assertEquals(
                List.of("second-one", "script-ends-well"),
                failedWhen(1, PASSED_1, "CHECK second-one FAIL after 2 s: status 1: no", "CHECKS 1 failed"));
    }

    @Test
    void shouldFailWhenACheckIsNotReached() throws IOException {
        assertEquals(List.of("second-one"), failedWhen(0, PASSED_1, "CHECKS 0 failed"));
    }

    @Test
    void shouldFailWhenTheScriptDoesNotFinish() throws IOException {
        assertEquals(List.of("script-ends-well"), failedWhen(0, PASSED_1, PASSED_2));
    }

    @Test
    void shouldFailWhenTheGuestFails() throws IOException {
        assertEquals(List.of("script-ends-well"), failedWhen(124, PASSED_1, PASSED_2, "CHECKS 0 failed"));
    }

    private List<String> failedWhen(int status, String... said) throws IOException {
        List<String> failed = new ArrayList<>();
        for (DynamicTest test :
                new Checks(script, List.of(said), status).tests().toList()) {
            try {
                test.getExecutable().execute();
            } catch (Throwable expected) {
                failed.add(test.getDisplayName());
            }
        }
        return failed;
    }
}
