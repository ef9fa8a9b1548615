package io.nvmf.transport.rdma.nativeverbs;

import io.netty.channel.IoEventLoop;
import io.nvmf.transport.FileWatch;
import io.nvmf.transport.rdma.CompletionChannel;
import io.nvmf.transport.rdma.DeviceLimits;
import io.nvmf.transport.rdma.MemoryRegion;
import io.nvmf.transport.rdma.RdmaDevice;
import io.nvmf.transport.rdma.RdmaException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A device that something is open on. librdmacm opens one context a device and process, and gives it to every id; on the
 * first use of it here a protection domain is made, which goes with the last. What is open counts as a user: ids, memory
 * regions, completion channels and queues. Thread safe.
 */
final class NativeDevice implements RdmaDevice {
    private static final Logger LOG = LoggerFactory.getLogger(NativeDevice.class);

    /** By the address of the context. Guards the counts of users, too. */
    private static final Map<Long, NativeDevice> OPEN = new HashMap<>();

    /** What soft-RoCE (rdma_rxe) says its vendor is. */
    private static final int RXE_VENDOR_ID = 0xffffff;

    private final RdmaLibrary library;
    private final long context;
    private final long contextsInUse;
    private final String name;
    private final DeviceLimits limits;
    private final DeviceFunctions functions;
    private final int completionVectors;
    private final int invalidatedFlag;
    private final long pd;
    private int users;

    private NativeDevice(RdmaLibrary library, long context) throws RdmaException {
        this.library = library;
        this.context = context;
        ByteBuffer fields = NativeMemory.at(context, Layout.CONTEXT_BYTES);
        long device = fields.getLong(Layout.CONTEXT_DEVICE);
        completionVectors = fields.getInt(Layout.CONTEXT_NUM_COMP_VECTORS);
        Layout.require(device != 0 && completionVectors > 0 && completionVectors <= 0xffff, "ibv_context");
        name = library.ibv_get_device_name(device);
        if (NativeMemory.at(device, Layout.DEVICE_BYTES).getInt(Layout.DEVICE_TRANSPORT)
                == Layout.IBV_TRANSPORT_IWARP) {
            throw new RdmaException("the RDMA device " + name + " speaks iWARP, where an RDMA READ lets the peer write"
                    + " into this end's memory: use a device for RoCE or InfiniBand");
        }
        functions = new DeviceFunctions(fields);
        ByteBuffer attributes = attributes();
        limits = new DeviceLimits(
                attributes.getInt(Layout.ATTR_MAX_QP_WR),
                attributes.getInt(Layout.ATTR_MAX_CQE),
                attributes.getInt(Layout.ATTR_MAX_QP_RD_ATOM),
                attributes.getInt(Layout.ATTR_MAX_QP_INIT_RD_ATOM));
        invalidatedFlag = invalidatedFlag(attributes);
        pd = library.ibv_alloc_pd(context);
        if (pd == 0) {
            throw Errors.last("making a protection domain of " + name);
        }
        Layout.require(NativeMemory.at(pd, Layout.PD_BYTES).getLong(Layout.PD_CONTEXT) == context, "ibv_pd");
        // Without such a list librdmacm closes the context of a device that was unplugged with its last id, below the
        // memory that is still registered. There is none when another device cannot be opened.
        contextsInUse = library.rdma_get_devices(0);
        OpenObjects.DEVICE.opened();
    }

    private ByteBuffer attributes() throws RdmaException {
        ByteBuffer attributes = NativeMemory.allocate(Layout.ATTR_BYTES);
        int failure = library.ibv_query_device(context, NativeMemory.addressOf(attributes));
        if (failure != 0) {
            throw Errors.of("asking " + name + " for its limits", failure);
        }
        Layout.require(
                attributes.getInt(Layout.ATTR_MAX_QP_WR) > 0
                        && attributes.getInt(Layout.ATTR_MAX_SGE) > 0
                        && attributes.getInt(Layout.ATTR_MAX_CQE) > 0,
                "ibv_device_attr");
        return attributes;
    }

    /** rxe hands the kernel's own flags to the user, in which IB_WC_WITH_INVALIDATE is 4. */
    private static int invalidatedFlag(ByteBuffer attributes) {
        boolean isRxe = attributes.getInt(Layout.ATTR_VENDOR_ID) == RXE_VENDOR_ID
                && attributes.getInt(Layout.ATTR_VENDOR_PART_ID) == 0;
        return isRxe ? Layout.IBV_WC_WITH_INV | 4 : Layout.IBV_WC_WITH_INV;
    }

    /**
     * The device of a context, with one user more.
     *
     * @param context of an id of librdmacm that is open, and stays so during the call
     */
    static NativeDevice of(RdmaLibrary library, long context) throws RdmaException {
        synchronized (OPEN) {
            NativeDevice device = OPEN.get(context);
            if (device == null) {
                device = new NativeDevice(library, context);
                OPEN.put(context, device);
            }
            device.users++;
            return device;
        }
    }

    /** Counts a user more while there is one. */
    void use() throws RdmaException {
        synchronized (OPEN) {
            if (users == 0) {
                throw new RdmaException("the RDMA device " + name + " is not in use any more");
            }
            users++;
        }
    }

    void release() {
        synchronized (OPEN) {
            if (--users > 0) {
                return;
            }
            OPEN.remove(context);
            int failure = library.ibv_dealloc_pd(pd);
            if (failure != 0) {
                LOG.warn("ibv_dealloc_pd of {}: {}", name, Errors.text(failure));
            }
            if (contextsInUse != 0) {
                library.rdma_free_devices(contextsInUse);
            }
            OpenObjects.DEVICE.closed();
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public DeviceLimits limits() {
        return limits;
    }

    @Override
    public MemoryRegion register(ByteBuffer memory, RemoteAccess access) throws RdmaException {
        if (!memory.isDirect() || memory.capacity() == 0) {
            throw new IllegalArgumentException("a device uses direct memory, and not nothing: " + memory);
        }
        use();
        try {
            return new NativeMemoryRegion(this, memory, access);
        } catch (RdmaException | RuntimeException e) {
            release();
            throw e;
        }
    }

    @Override
    public CompletionChannel openCompletionChannel(IoEventLoop loop) throws RdmaException {
        if (!FileWatch.suits(loop)) {
            throw new RdmaException(NativeVerbs.WRONG_LOOP);
        }
        use();
        try {
            return new NativeCompletionChannel(this, loop);
        } catch (RdmaException | RuntimeException e) {
            release();
            throw e;
        }
    }

    RdmaLibrary library() {
        return library;
    }

    /** struct ibv_context. */
    long context() {
        return context;
    }

    /** struct ibv_pd. */
    long pd() {
        return pd;
    }

    DeviceFunctions functions() {
        return functions;
    }

    int completionVectors() {
        return completionVectors;
    }

    /** One of these bits in a completion says that it came as SEND WITH INVALIDATE. */
    int invalidatedFlag() {
        return invalidatedFlag;
    }

    @Override
    public String toString() {
        return name;
    }
}
