package io.nvmf.it.speed;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.identify.IdentifyCommand;
import io.nvmf.codec.identify.Nguid;
import io.nvmf.codec.log.TransportType;
import io.nvmf.it.speed.LoadHost.Work;
import io.nvmf.target.NvmfTarget;
import io.nvmf.target.backend.memory.MemoryBlockDevice;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.config.SubsystemConfig;
import io.nvmf.target.config.TargetConfig;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.target.queue.DataCounts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The load that is counted is the load that the target has seen. */
@Timeout(60)
class LoadHostTest {
    private static final String NQN = "nqn.2026-01.io.nvmf:load";
    private static final int DEVICE_BYTES = 1 << 20;

    private final MemoryBlockDevice device = new MemoryBlockDevice(DEVICE_BYTES);
    private NvmfTarget target;

    @BeforeEach
    void start() throws IOException {
        NamespaceConfig namespace = new NamespaceConfig(1, device, 512, new UUID(1, 1), new Nguid(1, 1));
        target = NvmfTarget.start(new TargetConfig(
                List.of(new ListenerConfig(
                        1, TransportType.TCP, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), Set.of(NQN))),
                List.of(new SubsystemConfig(NQN, "1", "nvmf4j", true, Set.of(), List.of(namespace))),
                TargetLimits.DEFAULT));
    }

    @AfterEach
    void stop() {
        target.close();
    }

    private LoadHost.Result run(long nsid, Work work, boolean digests) throws IOException {
        return LoadHost.run(target.addresses().get(0), NQN, nsid, work, digests, 0, TimeUnit.MILLISECONDS.toNanos(500));
    }

    @ParameterizedTest
    @CsvSource({
        "false, true, 4096, 1, false",
        "false, false, 131072, 8, false",
        "true, true, 4096, 32, false",
        "true, false, 131072, 32, false",
        "true, true, 1048576, 1, false",
        "false, true, 4096, 32, true",
        "false, true, 131072, 8, true",
        "true, true, 4096, 32, true",
        "true, false, 131072, 32, true",
        "true, true, 1048576, 1, true"
    })
    void shouldCountWhatTheTargetHasDone(boolean write, boolean random, int sizeBytes, int depth, boolean digests)
            throws Exception {
        LoadHost.Result result = run(1, new Work(write, random, sizeBytes, depth), digests);
        assertTrue(result.commands() > 0 && result.commands() <= result.allCommands());
        assertEquals(0.5, result.seconds());
        await().untilAsserted(() -> {
            DataCounts data = target.traffic().get(0).data();
            long received = data.inCapsuleBytes() + data.fetchedBytes();
            long sent = data.sentBytes() - 2 * IdentifyCommand.DATA_BYTES;
            assertEquals(result.allCommands() * sizeBytes, write ? received : sent);
            assertEquals(0, write ? sent : received);
        });
        if (write && !random) {
            assertEquals(DEVICE_BYTES, device.allocatedBytes());
        }
    }

    @Test
    void shouldFailWhenThereIsNoSuchNamespace() {
        IOException failure = assertThrows(IOException.class, () -> run(2, new Work(false, true, 4096, 1), false));
        assertEquals("namespace 2 has no room for a command of 4096 bytes", failure.getMessage());
    }
}
