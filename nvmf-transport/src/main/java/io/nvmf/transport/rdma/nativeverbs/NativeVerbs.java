package io.nvmf.transport.rdma.nativeverbs;

import io.netty.channel.IoEventLoop;
import io.nvmf.transport.FileWatch;
import io.nvmf.transport.rdma.ConnectionManager;
import io.nvmf.transport.rdma.RdmaException;
import io.nvmf.transport.rdma.RdmaProvider;

/** The system's librdmacm and libibverbs. */
public final class NativeVerbs implements RdmaProvider {
    static final String WRONG_LOOP =
            "RDMA needs event loops of kind epoll or io_uring: leave out -Dnvmf.transport=nio, or see why they cannot run";

    private volatile boolean available;

    @Override
    public String unavailabilityCause() {
        if (available) {
            return null;
        }
        String cause = Availability.missing();
        available = cause == null;
        return cause;
    }

    @Override
    public ConnectionManager openConnectionManager(IoEventLoop loop) throws RdmaException {
        String cause = unavailabilityCause();
        if (cause != null) {
            throw new RdmaException(cause);
        }
        if (!FileWatch.suits(loop)) {
            throw new RdmaException(WRONG_LOOP);
        }
        return new NativeConnectionManager(RdmaLibrary.get(), loop);
    }

    /** How many objects of the libraries are open in this process: none when everything was closed. */
    public static int openObjects() {
        return OpenObjects.total();
    }

    /** Which they are, for a person: {@code ID 2, QUEUE_PAIR 1}. */
    public static String describeOpenObjects() {
        return OpenObjects.summary();
    }
}
