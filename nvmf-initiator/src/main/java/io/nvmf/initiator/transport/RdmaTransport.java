package io.nvmf.initiator.transport;

import io.netty.channel.IoEventLoop;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyController.Field;
import java.util.concurrent.CompletableFuture;

/** NVMe/RDMA. */
public record RdmaTransport(HostRdma rdma, RdmaOptions options) implements HostTransport {
    /** Length of a keyed descriptor has 24 bits. */
    private static final int MAX_TRANSFER_BYTES = 8 << 20;
    /** Each capsule has room for the offset. */
    private static final int MAX_OFFSET_UNITS = 64;

    private static final int OFFSET_UNIT_BYTES = 16;

    /** So many descriptors a command carries at most. */
    private static final int MAX_DESCRIPTORS = 16;

    private static final CapsuleLayout ADMIN_CAPSULE = new CapsuleLayout(0, 0, 1);

    @Override
    public CompletableFuture<QueueConnection> open(
            QueueSetup setup, IoEventLoop loop, QueueConnectionListener listener) {
        return RdmaLink.open(this, setup, loop, listener);
    }

    @Override
    public CapsuleLayout adminCapsule() {
        return ADMIN_CAPSULE;
    }

    /** Without offsets in SGLs (SGLS bit 20) capsules are entries alone; MSDBD 0 is taken for 1, as it is by others. */
    @Override
    public CapsuleLayout ioCapsule(IdentifyController identify) {
        boolean offsets = (identify.get(Field.SGLS) & IdentifyController.SGLS_OFFSET) != 0;
        long offsetBytes = OFFSET_UNIT_BYTES * identify.get(Field.ICDOFF);
        long dataBytes = identify.inCapsuleDataBytes() - offsetBytes;
        if (!offsets || dataBytes <= 0) {
            return ADMIN_CAPSULE;
        }
        long room = Math.min(dataBytes / SglDescriptor.BYTES, MAX_DESCRIPTORS);
        int descriptors = (int) Math.max(1, Math.min(identify.get(Field.MSDBD), room));
        return new CapsuleLayout((int) offsetBytes, (int) Math.min(dataBytes, MAX_TRANSFER_BYTES), descriptors);
    }

    @Override
    public String unusable(IdentifyController identify) {
        if ((identify.get(Field.SGLS) & IdentifyController.SGLS_KEYED) == 0) {
            return "does not support keyed SGLs, which NVMe/RDMA needs";
        }
        long offsetUnits = identify.get(Field.ICDOFF);
        return offsetUnits <= MAX_OFFSET_UNITS
                ? null
                : "wants in-capsule data at offset " + offsetUnits * OFFSET_UNIT_BYTES + ", which is not supported";
    }

    @Override
    public int maxTransferBytes() {
        return Math.min(options.bufferBytes(), MAX_TRANSFER_BYTES);
    }
}
