package io.nvmf.initiator.transport;

import io.netty.channel.IoEventLoop;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyController.Field;
import java.util.concurrent.CompletableFuture;

/** NVMe/RDMA. */
public record RdmaTransport(HostRdma rdma, RdmaOptions options) implements HostTransport {
    /** Length of a keyed descriptor has 24 bits. */
    private static final int MAX_TRANSFER_BYTES = 8 << 20;
    /** So many descriptors a command carries at most. */
    private static final int MAX_DESCRIPTORS = 16;

    private static final CapsuleLayout ADMIN_CAPSULE = new CapsuleLayout(0, 0, 1);

    @Override
    public CompletableFuture<QueueConnection> open(
            QueueSetup setup, IoEventLoop loop, QueueConnectionListener listener) {
        return CompletableFuture.failedFuture(
                new ConnectionException("Cannot connect to " + setup.name() + ": NVMe/RDMA is not available"));
    }

    @Override
    public CapsuleLayout adminCapsule() {
        return ADMIN_CAPSULE;
    }

    /** Without offsets in SGLs (SGLS bit 20) capsules are entries alone; MSDBD 0 is taken for 1, as it is by others. */
    @Override
    public CapsuleLayout ioCapsule(IdentifyController identify) {
        boolean offsets = (identify.get(Field.SGLS) & IdentifyController.SGLS_OFFSET) != 0;
        long offsetBytes = 16 * identify.get(Field.ICDOFF);
        long dataBytes = identify.inCapsuleDataBytes() - offsetBytes;
        if (!offsets || dataBytes <= 0) {
            return ADMIN_CAPSULE;
        }
        int descriptors = (int) Math.max(1, Math.min(identify.get(Field.MSDBD), MAX_DESCRIPTORS));
        return new CapsuleLayout((int) offsetBytes, (int) Math.min(dataBytes, MAX_TRANSFER_BYTES), descriptors);
    }

    @Override
    public String unusable(IdentifyController identify) {
        boolean keyed = (identify.get(Field.SGLS) & IdentifyController.SGLS_KEYED) != 0;
        return keyed ? null : "does not support keyed SGLs, which NVMe/RDMA needs";
    }

    @Override
    public int maxTransferBytes() {
        return Math.min(options.bufferBytes(), MAX_TRANSFER_BYTES);
    }
}
