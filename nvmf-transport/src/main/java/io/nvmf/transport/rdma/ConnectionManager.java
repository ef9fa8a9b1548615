package io.nvmf.transport.rdma;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * The RDMA communication manager (rdma_cm) as one event loop uses it. Owned by that loop: all methods are called on it.
 */
public interface ConnectionManager extends AutoCloseable {
    /** Who asks for a connection to a listening address. */
    interface RequestListener {
        /**
         * A peer wants to connect. The id is the listener's to accept or reject, at once or later, and to close.
         *
         * @param privateData what the peer sent with it, padded with zeros by the transport; a copy, at position 0
         * @param responderResources how many RDMA READs the peer wants to have outstanding at this end
         * @param initiatorDepth how many RDMA READs this end may have outstanding at the peer
         */
        void onConnectRequest(CmId id, ByteBuffer privateData, int responderResources, int initiatorDepth);

        /**
         * No request will come any more: the device of the address was removed, or the connection manager is broken. The
         * {@link Listening} is still to be closed, perhaps from inside.
         *
         * @param why the end of a sentence
         */
        default void onListeningEnded(String why) {}
    }

    /** A listening address. */
    interface Listening extends AutoCloseable {
        /** The address bound, with the port that was taken for port 0. */
        InetSocketAddress address();

        /** The device whose address it is, until this is closed; null for a wildcard address: then each id has its own. */
        RdmaDevice device();

        /** Stops listening. */
        @Override
        void close();
    }

    /**
     * Listens on an address of an RDMA device, or on all of them for a wildcard address.
     *
     * @throws RdmaException when that is not possible; the message says why, without the address
     */
    Listening listen(InetSocketAddress address, int backlog, RequestListener listener) throws RdmaException;

    /**
     * Begins to connect: finds the device and the route to an address, then calls {@link CmListener#onRouteResolved}.
     *
     * @param timeoutMs for the address, and again for the route
     * @throws RdmaException when it fails at once: no RDMA device serves the address, for example
     */
    CmId resolve(InetSocketAddress remote, int timeoutMs, CmListener listener) throws RdmaException;

    /** Closes what was opened here and is still open. */
    @Override
    void close();
}
