package io.nvmf.tools.nbd;

import java.util.ArrayDeque;
import java.util.Queue;

/**
 * What the requests of all connections may take up together. A request for which there is not enough waits, and its client
 * with it; those that wait go on in the order in which they came. Owned by the server's event loop.
 */
final class Budget {
    private record Waiting(int bytes, Runnable granted) {}

    private final Queue<Waiting> waiting = new ArrayDeque<>();
    private long freeBytes;
    private int freeRequests;

    Budget(long bytes, int requests) {
        freeBytes = bytes;
        freeRequests = requests;
    }

    /**
     * Takes a request and its bytes.
     *
     * @param granted is run when they have been taken later; not when the answer is true
     */
    boolean tryTake(int bytes, Runnable granted) {
        if (waiting.isEmpty() && isThere(bytes)) {
            take(bytes);
            return true;
        }
        waiting.add(new Waiting(bytes, granted));
        return false;
    }

    private boolean isThere(int bytes) {
        return freeRequests > 0 && freeBytes >= bytes;
    }

    private void take(int bytes) {
        freeBytes -= bytes;
        freeRequests--;
    }

    /** Gives one back, and lets others have it. */
    void giveBack(int bytes) {
        freeBytes += bytes;
        freeRequests++;
        while (!waiting.isEmpty() && isThere(waiting.peek().bytes())) {
            Waiting next = waiting.remove();
            take(next.bytes());
            next.granted().run();
        }
    }
}
