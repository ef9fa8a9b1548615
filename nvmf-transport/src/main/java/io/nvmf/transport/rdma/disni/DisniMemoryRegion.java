package io.nvmf.transport.rdma.disni;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.SVCRegMr;
import com.kenai.jffi.MemoryIO;
import io.nvmf.transport.rdma.MemoryRegion;
import io.nvmf.transport.rdma.RdmaDevice.RemoteAccess;
import io.nvmf.transport.rdma.RdmaException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/** Memory registered with DiSNI. */
final class DisniMemoryRegion implements MemoryRegion {
    /** Memory that a device might still write to, because it could not be taken away: never freed. */
    private static final Queue<ByteBuffer> LOST = new ConcurrentLinkedQueue<>();

    private static final Map<RemoteAccess, Integer> ACCESS = Map.of(
            RemoteAccess.NONE,
            IbvMr.IBV_ACCESS_LOCAL_WRITE,
            RemoteAccess.READ_WRITE,
            IbvMr.IBV_ACCESS_LOCAL_WRITE | IbvMr.IBV_ACCESS_REMOTE_READ | IbvMr.IBV_ACCESS_REMOTE_WRITE);

    private final DisniDevice device;
    private final IbvMr mr;
    private final long address;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Kept alive while the device may use it. */
    private final ByteBuffer memory;

    /** Takes over one use of the device, if it succeeds. */
    DisniMemoryRegion(DisniDevice device, ByteBuffer memory, RemoteAccess access) throws RdmaException {
        this.device = device;
        this.memory = memory;
        address = addressOf(memory);
        int lengthBytes = memory.capacity();
        mr = Disni.call("registering " + lengthBytes + " bytes of memory (see the limit of locked memory)", () -> {
            SVCRegMr call = device.pd().regMr(address, lengthBytes, ACCESS.get(access));
            try {
                return call.execute().getMr();
            } finally {
                call.free();
            }
        });
    }

    /** Of byte 0 of a direct buffer, whatever its position. */
    static long addressOf(ByteBuffer buffer) {
        return MemoryIO.getInstance().getDirectBufferAddress(buffer);
    }

    @Override
    public long address() {
        return address;
    }

    @Override
    public long lengthBytes() {
        return memory.capacity();
    }

    @Override
    public int localKey() {
        return mr.getLkey();
    }

    @Override
    public int remoteKey() {
        return mr.getRkey();
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        if (Disni.tryTo(
                "taking memory from a device", () -> mr.deregMr().execute().free())) {
            device.release();
        } else {
            LOST.add(memory);
        }
    }
}
