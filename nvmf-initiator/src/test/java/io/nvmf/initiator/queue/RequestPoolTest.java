package io.nvmf.initiator.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

class RequestPoolTest {
    @Test
    void shouldGiveEachRequestOnceUntilAllAreInUse() {
        RequestPool pool = new RequestPool(5);
        Set<Request> taken = new HashSet<>();
        for (int i = 0; i < 5; i++) {
            taken.add(pool.acquire());
        }
        assertNull(pool.acquire());
        assertEquals(5, taken.size());
    }

    @Test
    void shouldGiveOutAgainWhatWasGivenBack() {
        RequestPool pool = new RequestPool(2);
        Request first = pool.acquire();
        Request second = pool.acquire();
        pool.release(first);
        assertSame(first, pool.acquire());
        assertNull(pool.acquire());
        pool.release(second);
        assertSame(second, pool.acquire());
    }

    @Test
    void shouldNeverGiveARequestToTwoThreads() throws Exception {
        int size = 7;
        RequestPool pool = new RequestPool(size);
        AtomicIntegerArray owners = new AtomicIntegerArray(size);
        AtomicInteger conflicts = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            threads.add(new Thread(() -> {
                for (int i = 0; i < 100_000; i++) {
                    Request request = pool.acquire();
                    if (request == null) {
                        continue;
                    }
                    if (owners.incrementAndGet(request.poolIndex) != 1) {
                        conflicts.incrementAndGet();
                    }
                    owners.decrementAndGet(request.poolIndex);
                    pool.release(request);
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(0, conflicts.get());
        for (int i = 0; i < size; i++) {
            assertNotNull(pool.acquire());
        }
        assertNull(pool.acquire());
    }
}
