package io.nvmf.initiator.queue;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A bounded number of requests, made when first needed, taken and given back by any thread without locks. A stack of indexes whose head carries a
 * count of changes, so that a head that was taken and given back in between does not pass for unchanged.
 */
final class RequestPool {
    private static final long INDEX_MASK = 0xFFFF_FFFFL;
    private static final int NONE = -1;

    private final Request[] requests;
    private final AtomicIntegerArray below;
    private final AtomicLong head;

    RequestPool(int size) {
        requests = new Request[size];
        below = new AtomicIntegerArray(size);
        for (int i = 0; i < size; i++) {
            below.set(i, i - 1);
        }
        head = new AtomicLong(size - 1);
    }

    int size() {
        return requests.length;
    }

    /** A blank request, or null when all are in use. */
    Request acquire() {
        while (true) {
            long current = head.get();
            int index = (int) current;
            if (index == NONE) {
                return null;
            }
            if (head.compareAndSet(current, changed(current, below.get(index)))) {
                return requestAt(index);
            }
        }
    }

    /** The index is the caller's alone until it is given back. */
    private Request requestAt(int index) {
        if (requests[index] == null) {
            requests[index] = new Request(this, index);
        }
        return requests[index];
    }

    /** Takes a request of this pool back and blanks it. */
    void release(Request request) {
        request.reset();
        while (true) {
            long current = head.get();
            below.lazySet(request.poolIndex, (int) current);
            if (head.compareAndSet(current, changed(current, request.poolIndex))) {
                return;
            }
        }
    }

    private static long changed(long current, int index) {
        return (current >>> 32) + 1 << 32 | index & INDEX_MASK;
    }
}
