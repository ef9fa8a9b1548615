package io.nvmf.initiator.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class HandoverTest {
    @Test
    void shouldHandOverInOrderAndWakeOnceForABatch() {
        Handover handover = new Handover();
        Request first = Request.standalone();
        Request second = Request.standalone();
        Request third = Request.standalone();
        assertTrue(handover.put(first));
        assertFalse(handover.put(second));
        Request taken = handover.takeAll();
        assertSame(first, taken);
        assertSame(second, taken.next);
        assertNull(second.next);
        assertNull(handover.takeAll());
        assertTrue(handover.put(third));
    }

    @Test
    void shouldLoseNothingBetweenThreads() throws Exception {
        int producers = 3;
        int each = 50_000;
        Handover handover = new Handover();
        AtomicInteger wakeUps = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < producers; t++) {
            threads.add(new Thread(() -> {
                for (int i = 0; i < each; i++) {
                    if (handover.put(Request.standalone())) {
                        wakeUps.incrementAndGet();
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        int taken = 0;
        int batches = 0;
        while (taken < producers * each) {
            Request request = handover.takeAll();
            batches += request == null ? 0 : 1;
            for (; request != null; request = request.next) {
                taken++;
            }
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(producers * each, taken);
        assertEquals(batches, wakeUps.get());
    }
}
