package io.nvmf.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.identify.Nguid;
import io.nvmf.codec.log.TransportType;
import io.nvmf.target.NvmfTarget;
import io.nvmf.target.backend.memory.MemoryBlockDevice;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.config.SubsystemConfig;
import io.nvmf.target.config.TargetConfig;
import io.nvmf.target.config.TargetLimits;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What the README promises. */
class ReadmeTest {
    private static final Path TOP = Path.of("..").toAbsolutePath().normalize();
    private static final String NQN = "nqn.2026-01.io.nvmf:readme";

    private static String readme() throws IOException {
        return Files.readString(TOP.resolve("README.md"));
    }

    @Test
    void shouldShowTheProgramThatIsCompiledHere() throws IOException {
        Matcher shown = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(readme());
        assertTrue(shown.find(), "the README shows a Java program");
        String source = Files.readString(Path.of("src/test/java/io/nvmf/it/ReadmeSnippet.java"));
        Matcher compiled =
                Pattern.compile("// README\n(.*?) *// end", Pattern.DOTALL).matcher(source);
        assertTrue(compiled.find());
        String unindented = compiled.group(1)
                .lines()
                .map(line -> line.substring(Math.min(8, line.length())))
                .collect(Collectors.joining("\n", "", "\n"));
        assertEquals(unindented, shown.group(1));
    }

    @Test
    void shouldRunThatProgram() throws IOException {
        NamespaceConfig namespace =
                new NamespaceConfig(1, new MemoryBlockDevice(4 << 20), 512, new UUID(1, 1), new Nguid(1, 1));
        SubsystemConfig subsystem = new SubsystemConfig(NQN, "1", "nvmf4j", true, Set.of(), List.of(namespace));
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        TargetConfig config = new TargetConfig(
                List.of(new ListenerConfig(1, TransportType.TCP, any, Set.of(NQN))),
                List.of(subsystem),
                TargetLimits.DEFAULT);
        try (NvmfTarget target = NvmfTarget.start(config)) {
            ReadmeSnippet.run("127.0.0.1", target.addresses().get(0).getPort(), NQN);
        }
    }

    @Test
    void shouldLinkOnlyToWhatIsThere() throws IOException {
        Matcher link = Pattern.compile("\\]\\(([^)#:]+)\\)").matcher(readme());
        int links = 0;
        while (link.find()) {
            assertTrue(Files.exists(TOP.resolve(link.group(1))), link.group(1));
            links++;
        }
        assertTrue(links > 5);
    }

    @Test
    void shouldStartWithTheTwoCommands() throws IOException {
        assertTrue(readme().lines().limit(6).anyMatch(line -> line.startsWith("./nvmf demo")));
        assertTrue(readme().lines().limit(6).anyMatch(line -> line.startsWith("./verify")));
        assertTrue(Files.isExecutable(TOP.resolve("nvmf")) && Files.isExecutable(TOP.resolve("verify")));
    }
}
