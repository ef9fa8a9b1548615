package io.nvmf.target;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.identify.Nguid;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.target.config.NamespaceConfig;
import java.io.IOException;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a host writes after a reset or a reconnect is not overtaken by what it wrote before. */
class DrainTest extends TargetTestBase {
    private static final int NSID = 3;

    private final HeldDevice device = new HeldDevice();

    @BeforeEach
    void startTarget() throws IOException {
        start();
        target.administration()
                .addNamespace(NQN, new NamespaceConfig(NSID, device, 512, new UUID(9, 9), new Nguid(9, 9)));
    }

    private static Sqe command(int opcode) {
        return ReadWriteCommand.encode(Sqe.allocate(), opcode, NSID, 0, 1);
    }

    private static byte[] block(int value) {
        byte[] block = new byte[512];
        Arrays.fill(block, (byte) value);
        return block;
    }

    private RawHost connectIo(int controllerId) throws IOException {
        RawHost io = open();
        io.initialize(0, 0);
        io.connectIo(controllerId, 1, 31, NQN);
        return io;
    }

    private void submitOldWrite(RawHost io) throws IOException {
        Sqe write = command(1);
        write.sgl1().set(SglDescriptor.IN_CAPSULE, 0, 512);
        io.submit(write, block(1));
        Awaitility.await().until(() -> device.held() == 1);
    }

    private static void writeAndReadBack(RawHost io) throws IOException {
        Sqe write = command(1);
        write.sgl1().set(SglDescriptor.IN_CAPSULE, 0, 512);
        assertEquals(0, io.execute(write, block(2)).status());
        assertArrayEquals(block(2), io.executeRead(command(2), 512));
    }

    @Test
    void shouldStayReadyUntilTheLastOldWriteIsDone() throws IOException {
        try (RawHost admin = open()) {
            int controllerId = admin.connectAdmin(NQN, 0);
            admin.enable();
            RawHost io = connectIo(controllerId);
            submitOldWrite(io);
            admin.setProperty(Property.CC, 0);
            assertNull(io.read(), "its queue ends at once");
            assertEquals(1, admin.getProperty(Property.CSTS), "but the reset is not done");
            device.letGo();
            Awaitility.await().until(() -> admin.getProperty(Property.CSTS) == 0);
            admin.enable();
            try (RawHost again = connectIo(controllerId)) {
                writeAndReadBack(again);
            }
        }
    }

    @Test
    void shouldEnableWhenTheResetIsDoneThoughTheHostDidNotWait() throws IOException {
        try (RawHost admin = open()) {
            int controllerId = admin.connectAdmin(NQN, 0);
            admin.enable();
            RawHost io = connectIo(controllerId);
            submitOldWrite(io);
            admin.setProperty(Property.CC, 0);
            admin.enable();
            device.letGo();
            Awaitility.await().untilAsserted(() -> {
                try (RawHost again = connectIo(controllerId)) {
                    writeAndReadBack(again);
                }
            });
        }
    }

    @Test
    void shouldLetAHostThatComesBackWaitForItsOldWrites() throws Exception {
        RawHost oldAdmin = open();
        int oldId = oldAdmin.connectAdmin(NQN, 0);
        oldAdmin.enable();
        RawHost oldIo = connectIo(oldId);
        submitOldWrite(oldIo);
        oldIo.close();
        oldAdmin.close();
        try (RawHost admin = open()) {
            // The target learns of the closed connection a moment later: only then it is an old one.
            Awaitility.await().until(() -> cannotAttach(oldId));
            int controllerId = admin.connectAdmin(NQN, 0);
            admin.enable();
            CompletableFuture<RawHost> connecting = CompletableFuture.supplyAsync(() -> {
                try {
                    return connectIo(controllerId);
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            Assertions.assertThrows(TimeoutException.class, () -> connecting.get(300, TimeUnit.MILLISECONDS));
            device.letGo();
            try (RawHost io = connecting.get(10, TimeUnit.SECONDS)) {
                writeAndReadBack(io);
            }
        }
    }

    /** Whether the target knows that the association has ended: an I/O queue of it is refused, or kept waiting. */
    private boolean cannotAttach(int controllerId) throws IOException {
        try (RawHost probe = open()) {
            probe.timeoutMs(200);
            probe.initialize(0, 0);
            probe.connectIo(controllerId, 2, 31, NQN);
            return false;
        } catch (IOException e) {
            return true;
        }
    }
}
