package io.nvmf.initiator.transport;

import io.netty.channel.IoEventLoop;
import io.nvmf.codec.identify.IdentifyController;
import java.util.concurrent.CompletableFuture;

/** How the queues of one controller are connected; one implementation a transport. Any thread may call any method. */
public interface HostTransport {
    /**
     * Opens the connection of a queue.
     *
     * @param loop the owner of the connection
     * @return completed on the loop; fails with a {@link ConnectionException} in at most the connect timeout. The listener
     *     hears nothing of a connection that was not opened
     */
    CompletableFuture<QueueConnection> open(QueueSetup setup, IoEventLoop loop, QueueConnectionListener listener);

    /** What command capsules of the admin queue carry. */
    CapsuleLayout adminCapsule();

    /** What command capsules of a controller's I/O queues carry. */
    CapsuleLayout ioCapsule(IdentifyController identify);

    /** Why this transport cannot serve an I/O controller, a sentence without its beginning, the controller; or null. */
    String unusable(IdentifyController identify);

    /** The most data of one command. */
    int maxTransferBytes();
}
