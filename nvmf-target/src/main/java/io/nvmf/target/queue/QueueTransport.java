package io.nvmf.target.queue;

import io.netty.buffer.ByteBuf;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.target.controller.TransportTraits;
import java.net.InetSocketAddress;

/**
 * The connection under a queue, as the queue sees it. Every transport implements it and calls the queue in turn; all
 * calls are made on the queue's event loop, but for {@link #traits}, {@link #peer} and {@link #localAddress}.
 */
public interface QueueTransport {
    /** What a host has to know of it. */
    TransportTraits traits();

    /** The host's address, for a log line. */
    String peer();

    InetSocketAddress localAddress();

    /**
     * Whether the connection was made for the queue that a Connect command asks for.
     *
     * @return the offset in the entry of the first field that does not fit; 0 when all do
     */
    default int unfitConnectField(int queueId, int sqSizeZeroBased) {
        return 0;
    }

    /** Connect has succeeded; the host does not know it yet. */
    default void connected() {}

    /**
     * Checks how the host describes the data of a command that moves some, and notes in the request where the data is.
     *
     * @param capsuleDataBytes data that came in the capsule
     * @return a status
     */
    int describeData(Request request, SglDescriptor sgl, int capsuleDataBytes);

    /**
     * Where the data that comes in the request's capsule goes, or is: from index 0 on, starting on a page. Asked for once.
     *
     * @return null when there is no memory for it now
     */
    ByteBuf takeCapsuleBuffer(Request request);

    /** The request, which may have been completed before, does not need its capsule's buffer any more. */
    void giveBackCapsuleBuffer(ByteBuf buffer);

    /** Has the host send the request's data into its buffer, then calls {@link TargetQueue#dataFetched}. */
    void fetchData(Request request);

    /**
     * Gets the data that a request sends to the host straight to where it will be sent from, by {@link Request#readNow}, where
     * that pays. When it is there, {@link #complete} of this request is what the transport is asked for next.
     *
     * @return whether it is there; if not, nothing has been done
     */
    default boolean readInPlace(Request request) {
        return false;
    }

    /**
     * Sends the request's data, when it has some to send and succeeded, then its completion. The transport takes over the
     * request's buffer and gives it back with {@link TargetQueue#releaseBuffer} when it is sent, or lets it be released
     * and tells {@link TargetQueue#onReleased}; the slot itself is free when this returns.
     *
     * @param sqhd for the completion
     */
    void complete(Request request, int sqhd);

    /** Ends the connection. The transport calls {@link TargetQueue#closed} when it has. */
    void close(String reason);

    /** After {@link TargetQueue#closed}: no command uses memory of the transport any more. */
    default void drained() {}
}
