package io.nvmf.initiator.queue;

/**
 * Told once when a request is done, on the event loop of its queue: it must not block. It may submit new requests. An
 * exception it throws is logged and has no effect.
 */
@FunctionalInterface
public interface IoCallback {
    /**
     * The request is done and its buffers are the caller's again.
     *
     * @param status the 15-bit status as {@link io.nvmf.codec.Status} describes it, of the first command that failed when
     *     the request was split. {@code HOST_PATHING_ERROR} when the connection was lost (whether the command took effect
     *     is then unknown), {@code ABORTED_BY_HOST} when this host closed it, {@code TRANSIENT_TRANSPORT_ERROR} when read
     *     data did not match its digest
     * @param result DW0 in the low and DW1 in the high half of the completion; 0 for a request that was split
     */
    void onComplete(int status, long result);
}
