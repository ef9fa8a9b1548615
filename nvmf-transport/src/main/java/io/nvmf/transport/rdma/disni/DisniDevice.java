package io.nvmf.transport.rdma.disni;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaVerbs;
import io.netty.channel.IoEventLoop;
import io.nvmf.transport.rdma.CompletionChannel;
import io.nvmf.transport.rdma.CompletionQueue;
import io.nvmf.transport.rdma.DeviceLimits;
import io.nvmf.transport.rdma.MemoryRegion;
import io.nvmf.transport.rdma.RdmaDevice;
import io.nvmf.transport.rdma.RdmaException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * A device that ids or memory regions are open on. librdmacm opens one context a device and process, and gives it to every
 * id; on the first use of it here a protection domain is made, which goes with the last. Thread safe.
 */
final class DisniDevice implements RdmaDevice {
    /** DiSNI cannot ask a device: what is assumed is within the limits of all that are in use. */
    private static final DeviceLimits ASSUMED_LIMITS = new DeviceLimits(1024, 4096, 1, 1);

    /** By the file descriptor of the context. Guards the counts of users, too. */
    private static final Map<Integer, DisniDevice> OPEN = new HashMap<>();

    private final int fd;
    private final IbvContext context;
    private final IbvPd pd;
    private int users;

    private DisniDevice(int fd, IbvContext context) throws RdmaException {
        this.fd = fd;
        this.context = context;
        pd = Disni.call("making a protection domain", context::allocPd);
    }

    /** The device of an id, with one user more. */
    static DisniDevice of(RdmaCmId id) throws RdmaException {
        IbvContext context = Disni.call("asking for the device of a connection", id::getVerbs);
        synchronized (OPEN) {
            int fd = Disni.call("asking for the file of a device", () -> new int[] {context.getCmd_fd()})[0];
            DisniDevice device = OPEN.get(fd);
            if (device == null) {
                device = new DisniDevice(fd, context);
                OPEN.put(fd, device);
            }
            device.users++;
            return device;
        }
    }

    void release() {
        synchronized (OPEN) {
            if (--users > 0) {
                return;
            }
            OPEN.remove(fd);
            Disni.tryTo("closing a protection domain", () -> RdmaVerbs.open().deallocPd(pd));
        }
    }

    /** One of ours. */
    @Override
    public String name() {
        return "disni" + fd;
    }

    @Override
    public DeviceLimits limits() {
        return ASSUMED_LIMITS;
    }

    @Override
    public MemoryRegion register(ByteBuffer memory, RemoteAccess access) throws RdmaException {
        if (!memory.isDirect() || memory.capacity() == 0) {
            throw new IllegalArgumentException("a device uses direct memory, and not nothing: " + memory);
        }
        synchronized (OPEN) {
            if (users == 0) {
                throw new RdmaException("the RDMA device is not in use any more");
            }
            users++;
        }
        try {
            return new DisniMemoryRegion(this, memory, access);
        } catch (RdmaException | RuntimeException e) {
            release();
            throw e;
        }
    }

    @Override
    public CompletionChannel openCompletionChannel(IoEventLoop loop) {
        return new Channel(this, loop);
    }

    /** Only in name: each queue has a channel of DiSNI's to itself, because events do not say whose they are. */
    private record Channel(DisniDevice device, IoEventLoop loop) implements CompletionChannel {
        @Override
        public CompletionQueue createCompletionQueue(int entries, Runnable onEvent) throws RdmaException {
            return DisniCompletionQueue.open(device.context, loop, entries, onEvent);
        }

        @Override
        public void close() {}
    }

    IbvPd pd() {
        return pd;
    }
}
