package io.nvmf.transport.rdma.nativeverbs;

import io.nvmf.transport.rdma.MemoryRegion;
import io.nvmf.transport.rdma.RdmaDevice.RemoteAccess;
import io.nvmf.transport.rdma.RdmaException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** ibv_mr. */
final class NativeMemoryRegion implements MemoryRegion {
    private static final Logger LOG = LoggerFactory.getLogger(NativeMemoryRegion.class);

    /** Memory that a device might still write to, because it could not be taken away: never freed. */
    private static final Queue<ByteBuffer> LOST = new ConcurrentLinkedQueue<>();

    private static final Map<RemoteAccess, Integer> ACCESS = Map.of(
            RemoteAccess.NONE,
            Layout.IBV_ACCESS_LOCAL_WRITE,
            RemoteAccess.READ_WRITE,
            Layout.IBV_ACCESS_LOCAL_WRITE | Layout.IBV_ACCESS_REMOTE_READ | Layout.IBV_ACCESS_REMOTE_WRITE);

    private final NativeDevice device;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final long mr;
    private final long address;
    private final int lengthBytes;
    private final int localKey;
    private final int remoteKey;

    /** Keeps the memory alive while the device may use it. */
    private volatile ByteBuffer memory;

    /** Takes over one use of the device, if it succeeds. */
    NativeMemoryRegion(NativeDevice device, ByteBuffer memory, RemoteAccess access) throws RdmaException {
        this.device = device;
        this.memory = memory;
        address = NativeMemory.addressOf(memory);
        lengthBytes = memory.capacity();
        mr = device.library().ibv_reg_mr(device.pd(), address, lengthBytes, ACCESS.get(access));
        if (mr == 0) {
            throw Errors.last("registering " + lengthBytes + " bytes of memory with " + device.name());
        }
        ByteBuffer fields = NativeMemory.at(mr, Layout.MR_BYTES);
        Layout.require(
                fields.getLong(Layout.MR_ADDR) == address && fields.getLong(Layout.MR_LENGTH) == lengthBytes, "ibv_mr");
        localKey = fields.getInt(Layout.MR_LKEY);
        remoteKey = fields.getInt(Layout.MR_RKEY);
        OpenObjects.MEMORY_REGION.opened();
    }

    @Override
    public long address() {
        return address;
    }

    @Override
    public long lengthBytes() {
        return lengthBytes;
    }

    @Override
    public int localKey() {
        return localKey;
    }

    @Override
    public int remoteKey() {
        return remoteKey;
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        int failure = device.library().ibv_dereg_mr(mr);
        if (failure != 0) {
            LOG.warn("ibv_dereg_mr of {} bytes of {}: {}", lengthBytes, device, Errors.text(failure));
            LOST.add(memory);
            return;
        }
        memory = null;
        OpenObjects.MEMORY_REGION.closed();
        device.release();
    }
}
