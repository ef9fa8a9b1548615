package io.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.nvmf.codec.Status;
import io.nvmf.initiator.controller.ConnectOptions;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.controller.ControllerState;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.initiator.transport.RegisteredMemory;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** As {@link ReconnectTest}, over RDMA: what differs is whose the memory is meanwhile. */
class RdmaReconnectTest extends RdmaTest {
    private static final int LENGTH = 65536;

    private ConnectOptions lasting() {
        return options().controllerLossTimeoutMs(20_000).reconnectDelayMs(20, 100);
    }

    private void ignoreFirst(int opcode, AtomicInteger ignored) {
        target.script = (connection, command) ->
                connection.queueId == 1 && command.opcode() == opcode && ignored.getAndIncrement() == 0;
    }

    @Test
    void shouldCarryOutAgainWhatWasOutWhenTheConnectionWasLost() throws Exception {
        AtomicInteger ignored = new AtomicInteger();
        ignoreFirst(WRITE, ignored);
        ByteBuffer memory = random(LENGTH, 3);
        RegisteredMemory registered = host.register(memory);
        try (Controller controller = host.connect(lasting().ioQueues(2))) {
            Namespace namespace = controller.namespace(1);
            CompletableFuture<Void> inPlace = namespace.write(0, memory.duplicate());
            await(() -> ignored.get() == 1);
            target.dropConnections();
            inPlace.get(20, TimeUnit.SECONDS);
            ByteBuffer copied = random(LENGTH, 4);
            namespace.write(1000, copied).get(20, TimeUnit.SECONDS);
            assertArrayEquals(InitiatorTest.bytes(memory), medium(0, LENGTH));
            assertArrayEquals(InitiatorTest.bytes(copied), medium(512_000, LENGTH));
            assertEquals(1, controller.reconnects());
        }
        registered.close();
    }

    @Test
    void shouldComeBackWithTheDevice() throws Exception {
        AtomicInteger ignored = new AtomicInteger();
        ignoreFirst(READ, ignored);
        try (Controller controller = host.connect(lasting())) {
            Namespace namespace = controller.namespace(1);
            namespace.write(0, random(LENGTH, 5)).join();
            ByteBuffer back = ByteBuffer.allocateDirect(LENGTH);
            CompletableFuture<Void> read = namespace.read(0, back);
            await(() -> ignored.get() == 1);
            rdma.removeDevice();
            await(() -> controller.state() == ControllerState.RECONNECTING);
            rdma.restoreDevice();
            read.get(20, TimeUnit.SECONDS);
            assertEquals(random(LENGTH, 5), back);
        }
    }

    @Test
    void shouldGiveMemoryBackWhenRequestsFailBeforeItIsConnectedAgain() throws Exception {
        AtomicInteger ignored = new AtomicInteger();
        ignoreFirst(READ, ignored);
        try (Controller controller = host.connect(lasting().fastIoFailTimeoutMs(0))) {
            Namespace namespace = controller.namespace(1);
            CompletableFuture<Void> read = namespace.read(0, ByteBuffer.allocateDirect(LENGTH));
            await(() -> ignored.get() == 1);
            rdma.removeDevice();
            assertEquals(Status.HOST_PATHING_ERROR, InitiatorTest.statusOf(read));
            rdma.restoreDevice();
            await(() -> controller.isLive());
            namespace.flush().get(20, TimeUnit.SECONDS);
        }
    }

    private static void await(java.util.concurrent.Callable<Boolean> condition) {
        InitiatorTest.await(condition);
    }
}
