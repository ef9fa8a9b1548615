package io.nvmf.tools;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NvmfTest {
    @ParameterizedTest
    @ValueSource(strings = {"--help", "-h", "help"})
    void shouldListEveryCommandWhenAskedForHelp(String word) {
        CommandRun run = CommandRun.of(word);
        assertEquals(0, run.status());
        Nvmf.commands().forEach(command -> assertTrue(run.out().contains("\n  " + command.name() + " "), run::out));
    }

    @Test
    void shouldShowHelpOnStderrWhenNothingIsAsked() {
        CommandRun run = CommandRun.of();
        assertEquals(2, run.status());
        assertEquals("", run.out());
        assertTrue(run.err().startsWith("Usage: nvmf COMMAND"), run::err);
    }

    @Test
    void shouldShowHelpWithExamplesOfEveryCommand() {
        for (Command command : Nvmf.commands()) {
            CommandRun help = CommandRun.of("help", command.name());
            CommandRun option = CommandRun.of(command.name(), "--help");
            assertAll(
                    () -> assertEquals(0, help.status()),
                    () -> assertEquals(0, option.status()),
                    () -> assertEquals(help.out(), option.out()),
                    () -> assertTrue(help.out().startsWith("Usage: nvmf " + command.name() + " "), help::out),
                    () -> assertTrue(help.out().contains("\nExamples:\n  nvmf " + command.name()), help::out));
        }
    }

    @Test
    void shouldOnlyShowExamplesThatParse() throws UsageException {
        for (Command command : Nvmf.commands()) {
            for (String example :
                    String.join("\n", command.examples()).replace("\\\n", " ").split("\n")) {
                String line =
                        example.replaceFirst("^.*nvmf " + command.name(), "").replaceFirst("[|>].*", "");
                Arguments.parse(
                        CommonOptions.withCommon(command.options()),
                        List.of(line.strip().split("\\s+")));
            }
        }
    }

    @Test
    void shouldFailWhenItsOutputIsLost() {
        OutputStream full = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("No space left on device");
            }
        };
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console = new Console(
                InputStream.nullInputStream(),
                new PrintStream(full, false, StandardCharsets.UTF_8),
                full,
                new PrintStream(err, true, StandardCharsets.UTF_8),
                fd -> false,
                new MissingRdma());
        assertEquals(1, Nvmf.run(List.of("gen-hostnqn"), console));
        assertEquals(
                "nvmf: standard output does not take all of the result" + System.lineSeparator(),
                err.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldShowVersion() {
        CommandRun run = CommandRun.of("--version");
        assertEquals(0, run.status());
        assertTrue(run.out().matches("nvmf4j \\d+\\.\\d+.* \\(Java .*\\)\\R"), run::out);
        assertFalse(run.out().contains("$"), run::out);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "targt | nvmf: unknown command targt; did you mean target?",
                "format | nvmf: unknown command format; see nvmf --help",
                "--halp | nvmf: unknown option --halp; see nvmf --help",
                "help targt | nvmf: unknown command targt; did you mean target?",
                "target --namspace x | nvmf target: unknown option --namspace; did you mean --namespace? (see nvmf help target)",
                "target --zzzzzz | nvmf target: unknown option --zzzzzz (see nvmf help target)",
                "target --nqn | nvmf target: option --nqn needs a value: NQN (see nvmf help target)",
                "target --nqn a --nqn b | nvmf target: option --nqn was given twice (see nvmf help target)",
                "target word | nvmf target: unexpected argument 'word' (see nvmf help target)",
                "target --threads -1 | nvmf target: --threads '-1' is not a number from 0 to 2147483647 (see nvmf help target)",
                "target --listen x | nvmf target: --listen 'x' does not start with tcp:// or rdma://; write it as tcp://ADDRESS:PORT or rdma://ADDRESS:PORT (see nvmf help target)",
                "target --rdma-in-capsule 1 | nvmf target: --rdma-in-capsule 1: in-capsule data size 1 is no multiple of 16 (see nvmf help target)",
                "target | nvmf target: nothing to serve: give --namespace or --config (see nvmf help target)",
                "target -c f --serial s | nvmf target: --config cannot stand beside --serial: write that into the file (see nvmf help target)",
            })
    void shouldFailWithUsageStatusAndOneSentence(String line, String sentence) {
        CommandRun run = CommandRun.of(line.split(" "));
        assertEquals(sentence + System.lineSeparator(), run.err());
        assertEquals(2, run.status());
        assertEquals("", run.out());
    }
}
