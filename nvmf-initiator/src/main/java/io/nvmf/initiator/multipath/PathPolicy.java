package io.nvmf.initiator.multipath;

/** Which of several paths that are equally good a request takes. */
public enum PathPolicy {
    /** One after the other. */
    ROUND_ROBIN,
    /** The one whose queue has the fewest commands out. */
    QUEUE_DEPTH
}
