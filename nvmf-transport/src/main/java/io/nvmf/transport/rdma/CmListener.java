package io.nvmf.transport.rdma;

import java.nio.ByteBuffer;

/** What happens to a {@link CmId}. Called on the control loop; the id may be closed from inside. */
public interface CmListener {
    /** {@link ConnectionManager#resolve} has found the device: make a queue pair, then {@link CmId#connect}. */
    default void onRouteResolved() {
        throw new IllegalStateException("not an id that connects");
    }

    /**
     * The connection carries data.
     *
     * @param privateData what the peer accepted with, padded with zeros by the transport; empty at the accepting end, and
     *     where the provider is not told
     */
    void onEstablished(ByteBuffer privateData);

    /**
     * The peer, or the communication manager in its place, refused.
     *
     * @param reason as the communication manager numbers them; {@link CmId#REJECTED_BY_CONSUMER} means the peer's program
     * @param privateData what it refused with
     */
    default void onRejected(int reason, ByteBuffer privateData) {
        onFailed("the connection was rejected (reason " + reason + ")");
    }

    /** The peer disconnected, or this end did. The queue pair takes no more work. */
    void onDisconnected();

    /** Its device goes away: everything made on it must be closed. */
    void onDeviceRemoved();

    /** It will not be connected. @param why the end of a sentence */
    void onFailed(String why);
}
