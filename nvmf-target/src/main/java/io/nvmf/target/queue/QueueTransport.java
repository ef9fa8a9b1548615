package io.nvmf.target.queue;

import io.nvmf.codec.SglDescriptor;
import java.net.InetSocketAddress;

/**
 * The connection under a queue, as the queue sees it. Every transport implements it and calls the queue in turn; all
 * calls are made on the queue's event loop, but for {@link #peer} and {@link #localAddress}.
 */
public interface QueueTransport {
    /** The host's address, for a log line. */
    String peer();

    InetSocketAddress localAddress();

    /**
     * Checks how the host describes the data of a command that moves some, and notes in the request where the data is.
     *
     * @param capsuleDataBytes data that came in the capsule
     * @return a status
     */
    int describeData(Request request, SglDescriptor sgl, int capsuleDataBytes);

    /** Has the host send the request's data into its buffer, then calls {@link TargetQueue#dataFetched}. */
    void fetchData(Request request);

    /**
     * Sends the request's data, when it has some to send and succeeded, then its completion. The transport takes over the
     * request's buffer and gives it back with {@link TargetQueue#releaseBuffer} when it is sent; the slot itself is free
     * when this returns.
     *
     * @param sqhd for the completion
     */
    void complete(Request request, int sqhd);

    /** Ends the connection. The transport calls {@link TargetQueue#closed} when it has. */
    void close(String reason);
}
