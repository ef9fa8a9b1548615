package io.nvmf.transport.rdma.nativeverbs;

import jnr.ffi.LibraryLoader;
import jnr.ffi.Runtime;
import jnr.ffi.annotations.Encoding;

/**
 * What librdmacm and libibverbs export and this package calls: the names and the order of arguments are those of
 * rdma/rdma_cma.h and infiniband/verbs.h. Pointers are {@code long}. Most calls that fail return -1 or a null pointer and
 * leave the reason in {@link #errno()}; the few that return it say so. What those headers define inline is in {@link
 * DeviceFunctions}. Public because jnr-ffi implements it.
 */
@Encoding("UTF-8")
public interface RdmaLibrary {
    long rdma_create_event_channel();

    void rdma_destroy_event_channel(long channel);

    int rdma_get_cm_event(long channel, long eventOut);

    int rdma_ack_cm_event(long event);

    int rdma_create_id(long channel, long idOut, long context, int portSpace);

    int rdma_destroy_id(long id);

    int rdma_set_option(long id, int level, int name, long value, long lengthBytes);

    int rdma_bind_addr(long id, long address);

    int rdma_listen(long id, int backlog);

    int rdma_resolve_addr(long id, long source, long destination, int timeoutMs);

    int rdma_resolve_route(long id, int timeoutMs);

    int rdma_create_qp(long id, long pd, long attributes);

    void rdma_destroy_qp(long id);

    int rdma_connect(long id, long parameters);

    int rdma_accept(long id, long parameters);

    int rdma_reject(long id, long privateData, byte lengthBytes);

    int rdma_disconnect(long id);

    long rdma_get_devices(long countOut);

    void rdma_free_devices(long list);

    long ibv_get_device_list(long countOut);

    void ibv_free_device_list(long list);

    String ibv_get_device_name(long device);

    /** Returns the reason. */
    int ibv_query_device(long context, long attributesOut);

    long ibv_alloc_pd(long context);

    /** Returns the reason. */
    int ibv_dealloc_pd(long pd);

    long ibv_reg_mr(long pd, long address, long lengthBytes, int access);

    /** Returns the reason. */
    int ibv_dereg_mr(long mr);

    long ibv_create_comp_channel(long context);

    /** Returns the reason. */
    int ibv_destroy_comp_channel(long channel);

    long ibv_create_cq(long context, int entries, long cqContext, long channel, int vector);

    /** Returns the reason. */
    int ibv_destroy_cq(long cq);

    int ibv_get_cq_event(long channel, long cqOut, long cqContextOut);

    void ibv_ack_cq_events(long cq, int count);

    /** Of the C library. */
    int fcntl(int fd, int command, long argument);

    /** Of the C library. */
    String strerror(int errno);

    /** The reason why this thread's last call failed. */
    static int errno() {
        return Runtime.getSystemRuntime().getLastError();
    }

    /** Null if it cannot be loaded. */
    static RdmaLibrary get() {
        return Loaded.LIBRARY;
    }

    /** Why it cannot be loaded. */
    static Throwable failure() {
        return Loaded.FAILURE;
    }

    /** Loaded once, when first asked for. */
    final class Loaded {
        private static final RdmaLibrary LIBRARY;
        private static final Throwable FAILURE;

        static {
            RdmaLibrary library = null;
            Throwable failure = null;
            try {
                library = LibraryLoader.create(RdmaLibrary.class)
                        .library("librdmacm.so.1")
                        .library("libibverbs.so.1")
                        .library("c")
                        .failImmediately()
                        .load();
            } catch (LinkageError | RuntimeException e) {
                failure = e;
            }
            LIBRARY = library;
            FAILURE = failure;
        }

        private Loaded() {}
    }
}
