package io.nvmf.initiator.queue;

/** Which I/O queue a request takes when its caller names none. */
public enum QueueSelection {
    /** Each thread keeps to one queue; threads are spread over the queues. An event loop prefers a queue of its own. */
    PER_THREAD,
    /** The queues in turn: for one thread that wants the strength of all of them. */
    ROUND_ROBIN
}
