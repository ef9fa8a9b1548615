package io.nvmf.it.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/**
 * What a guest script reported: one test for each check. Which checks there are is read from the script, so one that
 * was not reached fails.
 */
final class Checks {
    private static final Pattern CHECK = Pattern.compile("(?m)^\\s*check ([a-z0-9-]+) ");
    private static final Pattern REPORT = Pattern.compile("CHECK ([a-z0-9-]+) (PASS|FAIL) (.*)");

    private final Map<String, String> reports = new LinkedHashMap<>();
    private final String lastLine;
    private final int status;

    Checks(Path script, List<String> said, int status) throws IOException {
        this.status = status;
        lastLine = said.isEmpty() ? "" : said.get(said.size() - 1);
        Matcher check = CHECK.matcher(Files.readString(script));
        while (check.find()) {
            reports.put(check.group(1), null);
        }
        for (String line : said) {
            Matcher report = REPORT.matcher(line);
            if (report.matches()) {
                reports.put(report.group(1), report.group(2) + " " + report.group(3));
            }
        }
    }

    /** Exit status of the guest. */
    int status() {
        return status;
    }

    Stream<DynamicTest> tests() {
        Stream<DynamicTest> each = reports.entrySet().stream()
                .map(report -> dynamicTest(report.getKey(), () -> {
                    assertNotNull(
                            report.getValue(),
                            () -> report.getKey() + ": the script did not get this far; its last line: " + lastLine);
                    assertTrue(report.getValue().startsWith("PASS"), () -> report.getKey() + ": " + report.getValue());
                }));
        return Stream.concat(each, Stream.of(dynamicTest("script-ends-well", () -> {
            assertTrue(lastLine.startsWith("CHECKS "), () -> "the script's last line: " + lastLine);
            assertEquals(0, status, "exit status of the guest");
        })));
    }
}
