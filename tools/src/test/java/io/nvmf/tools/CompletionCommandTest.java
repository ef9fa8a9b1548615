package io.nvmf.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompletionCommandTest {
    @TempDir
    private Path directory;

    /** What bash offers when the last of these words is being typed. */
    private List<String> offered(String... words) throws IOException, InterruptedException {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/bin/bash")), "there is no bash");
        Path script = Files.writeString(
                directory.resolve("nvmf"), CommandRun.of("completion", "bash").out());
        String line = Arrays.stream(words).map(word -> "'" + word + "'").collect(Collectors.joining(" "));
        Process bash = new ProcessBuilder(
                        "/bin/bash",
                        "-c",
                        "source " + script + "; COMP_WORDS=(nvmf " + line + "); COMP_CWORD=" + words.length
                                + "; _nvmf; printf '%s\\n' \"${COMPREPLY[@]}\"")
                .redirectErrorStream(true)
                .start();
        String out = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, bash.waitFor(), out);
        return out.lines().filter(word -> !word.isEmpty()).toList();
    }

    @Test
    void shouldCompleteCommandsOptionsAndValues() throws Exception {
        assertEquals(List.of("target"), offered("tar"));
        assertEquals(Nvmf.commands().size() + 3, offered("").size(), "every command, help, --help and --version");
        assertEquals(List.of("--rdma-in-capsule", "--rdma-receive-memory"), offered("target", "--rdma"));
        assertEquals(List.of("normal", "json"), offered("smart-log", "-o", ""));
        assertEquals(List.of("nvmf_delete_subsystem"), offered("ctl", "nvmf_de"));
        assertEquals(List.of("bash"), offered("completion", ""));
        assertEquals(List.of("rdma"), offered("read", "--transport", "r"));
        assertEquals(List.of("must", "should", "robust", "all"), offered("conformance", "--level", ""));
        assertEquals(List.of("resv-report"), offered("help", "resv-rep"));
        assertEquals(List.of(), offered("read", "--file", "x"));
    }

    @Test
    void shouldKnowEveryOption() throws Exception {
        for (String name : List.of("target", "io-passthru", "connect-all", "completion")) {
            Command command = Nvmf.commands().stream()
                    .filter(one -> one.name().equals(name))
                    .findFirst()
                    .orElseThrow();
            List<String> options = CommonOptions.withCommon(command.options()).getOptions().stream()
                    .map(option -> "--" + option.getLongOpt())
                    .toList();
            assertEquals(options, offered(name, "-"));
        }
    }

    @Test
    void shouldSayWhichShellsThereAre() {
        CommandRun run = CommandRun.of("completion", "fish");
        assertEquals(2, run.status());
        assertTrue(run.err().startsWith("nvmf completion: there is nothing for 'fish': give bash"), run::err);
    }
}
