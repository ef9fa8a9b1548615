package io.nvmf.initiator.queue;

/** Where the requests of a namespace go. Any thread, but for {@link #retry}. */
public interface IoQueues {
    /** The queue for a request of the calling thread. */
    HostQueue select();

    /** Queue {@code index}, from 0. */
    HostQueue get(int index);

    /**
     * Whether a request that failed may go another way. It does not wait in a queue without a connection then: it fails
     * there, and {@link #retry} is asked.
     */
    boolean failsOver();

    /**
     * A request has failed, all its commands have ended; whoever it belongs to has not been told. Called on the event loop
     * of the queue.
     *
     * @return true if it was taken over, and will be sent again or {@linkplain Request#giveUp given up}
     */
    boolean retry(Request request, HostQueue queue);
}
