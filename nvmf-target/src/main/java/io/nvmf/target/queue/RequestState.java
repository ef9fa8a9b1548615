package io.nvmf.target.queue;

/** Where a request stands on its way through the queue. */
enum RequestState {
    /** The slot holds no command. */
    FREE,
    /** The capsule is arriving, or has arrived and is checked. */
    RECEIVED,
    /** It waits for a buffer, in order. */
    AWAITING_BUFFER,
    /** The host owes its data. */
    DATA_PENDING,
    /** Half of a fused command: the other half, or the data of the other half, has not arrived. */
    AWAITING_PARTNER,
    /** A handler, or a backend behind it, has it. */
    EXECUTING,
    /** Its data and completion are being handed to the transport. */
    COMPLETING
}
