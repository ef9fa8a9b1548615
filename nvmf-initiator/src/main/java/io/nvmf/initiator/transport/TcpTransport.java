package io.nvmf.initiator.transport;

import io.netty.channel.IoEventLoop;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyController.Field;
import io.nvmf.transport.EventLoops;
import java.util.concurrent.CompletableFuture;

/** NVMe/TCP. */
public record TcpTransport(EventLoops loops, TcpOptions options) implements HostTransport {
    private static final CapsuleLayout ADMIN_CAPSULE =
            new CapsuleLayout(0, TcpQueueConnection.ADMIN_IN_CAPSULE_DATA_BYTES, 1);

    @Override
    public CompletableFuture<QueueConnection> open(
            QueueSetup setup, IoEventLoop loop, QueueConnectionListener listener) {
        return TcpQueueConnection.open(this, setup, loop, listener);
    }

    @Override
    public CapsuleLayout adminCapsule() {
        return ADMIN_CAPSULE;
    }

    @Override
    public CapsuleLayout ioCapsule(IdentifyController identify) {
        return new CapsuleLayout(0, (int) Math.min(identify.inCapsuleDataBytes(), Integer.MAX_VALUE), 1);
    }

    @Override
    public String unusable(IdentifyController identify) {
        return identify.get(Field.ICDOFF) == 0 ? null : "wants in-capsule data at an offset, which NVMe/TCP forbids";
    }

    @Override
    public int maxTransferBytes() {
        return Integer.MAX_VALUE;
    }
}
