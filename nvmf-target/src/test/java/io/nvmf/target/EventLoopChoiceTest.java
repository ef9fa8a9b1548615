package io.nvmf.target;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.identify.Nguid;
import io.nvmf.codec.log.TransportType;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.target.backend.file.FileBlockDevice;
import io.nvmf.target.backend.file.FileOptions;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.config.SubsystemConfig;
import io.nvmf.target.config.TargetConfig;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.transport.EventLoops;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which event loops a target takes, and that it serves on those that poll. */
class EventLoopChoiceTest extends TargetTestBase {
    private static final TargetLimits POLLING = new TargetLimits(128, 4, 8192, 1 << 20, 16L << 20, 1, true);

    @BeforeEach
    void shouldHaveAChoice() {
        assumeTrue(System.getProperty(EventLoops.KIND_PROPERTY) == null, "SKIP: the kind is forced");
        assumeTrue(EventLoops.Kind.EPOLL.isAvailable(), "SKIP: no epoll here");
    }

    @Test
    void shouldTakeEpollForMemoryAlone() throws IOException {
        start();
        assertTrue(target.eventLoops().startsWith("epoll"), target.eventLoops());
    }

    @Test
    void shouldTakeIoUringWhenThereIsAFile(@TempDir Path directory) throws IOException {
        assumeTrue(EventLoops.Kind.IO_URING.isAvailable(), "SKIP: no io_uring here");
        FileBlockDevice file =
                FileBlockDevice.open(directory.resolve("image"), FileOptions.EXISTING.withSizeBytes(1 << 20));
        NamespaceConfig onFile = new NamespaceConfig(3, file, 512, new UUID(1, 2), new Nguid(3, 4));
        target = NvmfTarget.start(new TargetConfig(
                List.of(new ListenerConfig(
                        1, TransportType.TCP, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), Set.of(NQN))),
                List.of(new SubsystemConfig(
                        NQN, "SN0001", "nvmf4j", true, Set.of(), List.of(namespace(1, 512), onFile))),
                new TargetLimits(128, 4, 8192, 1 << 20, 16L << 20, 1)));
        assertTrue(target.eventLoops().startsWith("io_uring"), target.eventLoops());
    }

    @Test
    void shouldServeWithoutEverSleeping() throws IOException {
        start(POLLING);
        assertTrue(target.eventLoops().endsWith("polling"), target.eventLoops());
        try (RawHost admin = open();
                RawHost io = open()) {
            int controllerId = admin.connectAdmin(NQN, 0);
            admin.enable();
            io.initialize(0, 0);
            io.connectIo(controllerId, 1, 31, NQN);
            Sqe read = ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.READ, 1, 0, 1);
            assertArrayEquals(new byte[512], io.executeRead(read, 512));
        }
    }
}
