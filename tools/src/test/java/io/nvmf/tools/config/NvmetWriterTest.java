package io.nvmf.tools.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.nvmf.codec.Nqn;
import io.nvmf.codec.identify.Nguid;
import io.nvmf.codec.log.TransportType;
import io.nvmf.target.backend.file.FileBlockDevice;
import io.nvmf.target.backend.file.FileOptions;
import io.nvmf.target.backend.memory.MemoryBlockDevice;
import io.nvmf.target.config.AnaState;
import io.nvmf.target.config.DiscoveryConfig;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.config.RdmaConfig;
import io.nvmf.target.config.ReferralConfig;
import io.nvmf.target.config.SubsystemConfig;
import io.nvmf.target.config.TargetConfig;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.target.state.StateFile;
import io.nvmf.tools.CommandException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NvmetWriterTest {
    private static final String DISK = "nqn.2026-01.com.example:disk";
    private static final String SCRATCH = "nqn.2026-01.com.example:scratch";
    private static final String HOST = "nqn.2026-01.com.example:host";

    @TempDir
    Path directory;

    @Test
    void shouldReadBackAllThatItHasWritten() throws Exception {
        Path image = directory.resolve("image");
        try (FileBlockDevice file = FileBlockDevice.open(
                image, FileOptions.EXISTING.withSizeBytes(1 << 20).withDirect(false))) {
            NamespaceConfig onFile = new NamespaceConfig(3, file, 512, new UUID(1, 2), new Nguid(3, 4))
                    .inAnaGroup(7)
                    .withStateFile(StateFile.open(directory.resolve("ptpl"), new UUID(1, 2)));
            NamespaceConfig inMemory =
                    new NamespaceConfig(1, new MemoryBlockDevice(1 << 20), 4096, new UUID(5, 6), new Nguid(7, 8));
            TargetConfig config = new TargetConfig(
                    List.of(
                            new ListenerConfig(
                                    2,
                                    TransportType.TCP,
                                    new InetSocketAddress("127.0.0.1", 4420),
                                    Set.of(DISK, SCRATCH),
                                    Map.of(DISK, Map.of(7, AnaState.NON_OPTIMIZED, 9, AnaState.INACCESSIBLE))),
                            new ListenerConfig(5, TransportType.RDMA, new InetSocketAddress("::1", 4421), Set.of())),
                    List.of(
                            new SubsystemConfig(DISK, "SN1", "model", false, Set.of(HOST), List.of(onFile)),
                            new SubsystemConfig(SCRATCH, "SN2", "model", true, Set.of(), List.of(inMemory))),
                    new DiscoveryConfig(
                            "nqn.2026-01.com.example:discovery",
                            List.of(new ReferralConfig(
                                    TransportType.TCP, new InetSocketAddress("192.0.2.1", 8009), Nqn.DISCOVERY))),
                    new TargetLimits(64, 8, 4096, 1 << 20, 64 << 20, 2, true),
                    new RdmaConfig(8192, 32 << 20));
            Path saved = directory.resolve("config.json");
            NvmetWriter.write(saved, config);
            TargetPlan plan = NvmetConfig.read(saved, false);

            assertEquals(config.listeners(), plan.listeners());
            assertEquals(config.discovery(), plan.discovery());
            assertEquals(config.limits(), plan.limits());
            assertEquals(config.rdma(), plan.rdma());
            assertEquals(List.of(), plan.warnings());
            assertEquals(
                    new SubsystemPlan(
                            DISK,
                            Optional.of("SN1"),
                            Optional.of("model"),
                            false,
                            Set.of(HOST),
                            List.of(new NamespacePlan(
                                            3,
                                            new Backing.InFile(image, FileOptions.EXISTING),
                                            OptionalInt.of(512),
                                            Optional.of(new UUID(1, 2)),
                                            Optional.of(new Nguid(3, 4)))
                                    .inAnaGroup(7)
                                    .withPtplFile(Optional.of(directory.resolve("ptpl"))))),
                    plan.subsystems().get(0));
            assertEquals(
                    new Backing.InMemory(1 << 20),
                    plan.subsystems().get(1).namespaces().get(0).backing());
        }
    }

    @Test
    void shouldNotNameAStateFileThatIsWhereItIsByDefault() throws Exception {
        Path image = directory.resolve("image");
        NamespaceConfig namespace = new NamespacePlan(
                        1,
                        new Backing.InFile(image, FileOptions.EXISTING.withSizeBytes(1 << 20)),
                        OptionalInt.empty(),
                        Optional.empty(),
                        Optional.empty())
                .open(DISK);
        assertEquals(StateFile.beside(image), namespace.stateFile().path());
        Path saved = directory.resolve("config.json");
        SubsystemConfig subsystem = new SubsystemConfig(DISK, "SN1", "model", true, Set.of(), List.of(namespace));
        ListenerConfig listener =
                new ListenerConfig(1, TransportType.TCP, new InetSocketAddress("127.0.0.1", 4420), Set.of(DISK));
        NvmetWriter.write(saved, new TargetConfig(List.of(listener), List.of(subsystem), TargetLimits.DEFAULT));
        NamespacePlan plan =
                NvmetConfig.read(saved, false).subsystems().get(0).namespaces().get(0);
        assertEquals(Optional.empty(), plan.ptplFile());
        namespace.discard();
        assertFalse(Files.exists(image));
    }

    @Test
    void shouldReplaceTheFileAndLeaveNothingBeside() throws Exception {
        Path saved = directory.resolve("config.json");
        Files.writeString(saved, "old");
        TargetConfig config = new TargetConfig(List.of(), List.of(), TargetLimits.DEFAULT);
        NvmetWriter.write(saved, config);
        assertEquals(1, NvmetConfig.read(saved, true).limits().maxIoQueues() / 128);
        try (Stream<Path> files = Files.list(directory)) {
            assertEquals(List.of(saved), files.toList(), "nothing is left beside it");
        }
        assertThrows(CommandException.class, () -> NvmetWriter.write(directory.resolve("none/config.json"), config));
    }
}
