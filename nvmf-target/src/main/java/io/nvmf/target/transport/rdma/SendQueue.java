package io.nvmf.target.transport.rdma;

import io.nvmf.transport.rdma.QueuePair;

/**
 * Keeps the send queue of a queue pair within its bounds. RDMA READs have places of their own, as many as may be
 * outstanding, so that neither they nor responses wait for the other. READs and SENDs complete in the order in which they
 * were added; RDMA WRITEs are done when the SEND after them is. Owned by the queue's event loop.
 */
final class SendQueue {
    private final QueuePair pair;
    private final int readPlaces;
    private final int answerPlaces;
    private int reads;
    private int answers;

    /** What will complete, oldest first: the answer's places, 0 for a READ, and when it was added. */
    private final int[] placesOf;

    private final long[] addedNanos;
    private int oldest;
    private int count;

    private int writes;
    private boolean added;

    SendQueue(QueuePair pair, QueueSize size) {
        this.pair = pair;
        this.readPlaces = size.reads();
        this.answerPlaces = size.answers();
        this.placesOf = new int[size.sends()];
        this.addedNanos = new long[size.sends()];
    }

    boolean hasPlaceForRead() {
        return reads < readPlaces;
    }

    /** Whether a response fits, and so many WRITEs before it. */
    boolean hasPlacesForAnswer(int writesBefore) {
        return answers + writesBefore + 1 <= answerPlaces;
    }

    /** Counts a READ that was added to the queue pair. */
    void readAdded(long nowNanos) {
        reads++;
        willComplete(0, nowNanos);
    }

    /** Counts a WRITE that was added; a SEND follows. */
    void writeAdded() {
        writes++;
    }

    /** Counts a SEND that was added. */
    void sendAdded(long nowNanos) {
        int places = writes + 1;
        writes = 0;
        answers += places;
        willComplete(places, nowNanos);
    }

    private void willComplete(int places, long nowNanos) {
        int next = (oldest + count) % placesOf.length;
        placesOf[next] = places;
        addedNanos[next] = nowNanos;
        count++;
        added = true;
    }

    /** The oldest READ or SEND is done. */
    void completed() {
        if (count == 0) {
            throw new IllegalStateException("a completion of work that was not posted");
        }
        int places = placesOf[oldest];
        if (places == 0) {
            reads--;
        } else {
            answers -= places;
        }
        oldest = (oldest + 1) % placesOf.length;
        count--;
    }

    /** Posts what was added. @return false when the queue pair is broken */
    boolean post() {
        if (!added) {
            return true;
        }
        added = false;
        return pair.post();
    }

    /** For how long the oldest READ or SEND has been under way, in ns; 0 when there is none. */
    long underWayNanos(long nowNanos) {
        return count == 0 ? 0 : nowNanos - addedNanos[oldest];
    }
}
