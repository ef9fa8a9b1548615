package io.nvmf.target.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.transport.MemoryBlock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A pool of 64 KiB, of which a quarter is for those who hold nothing. */
class BufferPoolTest {
    private static final int CAPACITY = 64 * 1024;
    private static final int KIB = 1024;

    private final BufferPool pool = new BufferPool(CAPACITY, 16 * KIB, 8192);
    private final BufferPool.Share share = pool.share();
    private final BufferPool.Share other = pool.share();
    private final List<String> served = new ArrayList<>();
    private final List<Held> held = new ArrayList<>();

    private record Held(BufferPool.Share owner, MemoryBlock buffer) {}

    private BufferPool.Waiter waiter(BufferPool.Share owner, String name, int bytes) {
        return new BufferPool.Waiter() {
            @Override
            public int wantedBytes() {
                return bytes;
            }

            @Override
            public void onBuffer(MemoryBlock buffer) {
                served.add(name);
                held.add(new Held(owner, buffer));
            }
        };
    }

    private void allocate(BufferPool.Share owner, String name, int bytes) {
        owner.allocate(waiter(owner, name, bytes));
    }

    private void releaseFirst() {
        Held first = held.remove(0);
        first.owner.release(first.buffer);
    }

    @AfterEach
    void giveAllBack() {
        while (!held.isEmpty()) {
            releaseFirst();
        }
        assertEquals(CAPACITY, pool.slab().freeBytes());
    }

    @Test
    void shouldHandOutPageAlignedBuffersOfTheWantedLength() {
        allocate(share, "a", 512);
        allocate(share, "b", 5000);
        for (Held each : held) {
            assertTrue(each.buffer.isDirect());
            assertEquals(0, each.buffer.memoryAddress() % 4096);
        }
        assertEquals(5000, held.get(1).buffer.capacity());
        assertEquals(CAPACITY - 4096 - 8192, pool.slab().freeBytes());
    }

    @Test
    void shouldServeTheRequestsOfAQueueInOrderEvenWhenALaterOneWouldFit() {
        allocate(share, "first", 40 * KIB);
        allocate(share, "large", 16 * KIB);
        allocate(share, "small", 4096);
        assertEquals(List.of("first"), served);
        releaseFirst();
        assertEquals(List.of("first", "large", "small"), served);
    }

    @Test
    void shouldServeANewQueueWhateverAnotherHoldsAndAsksFor() {
        for (int i = 0; i < 100; i++) {
            allocate(share, "greedy", 8 * KIB);
        }
        assertEquals(6, served.size());
        allocate(other, "new", 16 * KIB);
        assertEquals("new", served.get(6));
        share.cancelAll();
    }

    @Test
    void shouldLetQueuesTakeTurns() {
        allocate(share, "a", 40 * KIB);
        allocate(other, "b", 16 * KIB);
        for (int i = 0; i < 3; i++) {
            allocate(share, "a", 8 * KIB);
            allocate(other, "b", 8 * KIB);
        }
        assertEquals(List.of("a", "b"), served);
        releaseFirst();
        assertEquals(List.of("a", "b", "a", "b", "a", "b"), served);
    }

    @Test
    void shouldLetNobodyOvertakeARequestForWhichThePiecesOfMemoryAreTooSmall() {
        holdEveryOtherPage();
        allocate(share, "large", 16 * KIB);
        allocate(other, "small", 4 * KIB);
        assertEquals(List.of(), served, "nobody overtakes");
        releaseFirst();
        assertEquals(List.of(), served, "12 KiB in one piece");
        releaseFirst();
        assertEquals(List.of("large", "small"), served);
    }

    /** 32 KiB are free, in 8 pieces. */
    private void holdEveryOtherPage() {
        for (int i = 0; i < 16; i++) {
            allocate(pool.share(), "page", 4 * KIB);
        }
        for (int i = 0; i < 8; i++) {
            Held each = held.remove(i);
            each.owner.release(each.buffer);
        }
        served.clear();
    }

    @Test
    void shouldServeThoseBehindAWaiterThatIsCancelled() {
        holdEveryOtherPage();
        BufferPool.Waiter large = waiter(share, "large", 16 * KIB);
        share.allocate(large);
        allocate(other, "small", 4 * KIB);
        assertTrue(share.cancel(large));
        share.cancelled();
        assertEquals(List.of("small"), served, "without waiting for what is held to come back");
    }

    @Test
    void shouldServeTheNextOfAQueueWhoseFirstIsCancelled() {
        allocate(share, "first", 40 * KIB);
        BufferPool.Waiter large = waiter(share, "large", 16 * KIB);
        share.allocate(large);
        allocate(share, "small", 8 * KIB);
        assertTrue(share.cancel(large));
        share.cancelled();
        assertEquals(List.of("first", "small"), served);
    }

    @Test
    void shouldServeOthersWhenAllThatAQueueWaitsForIsForgotten() {
        holdEveryOtherPage();
        allocate(share, "large", 16 * KIB);
        allocate(other, "small", 4 * KIB);
        share.cancelAll();
        share.cancelled();
        assertEquals(List.of("small"), served);
    }

    @Test
    void shouldForgetCancelledWaiters() {
        allocate(share, "first", CAPACITY);
        BufferPool.Waiter second = waiter(share, "second", 4096);
        share.allocate(second);
        assertTrue(share.cancel(second));
        assertFalse(share.cancel(second));
        for (int i = 0; i < 5; i++) {
            allocate(other, "never", 4096);
        }
        other.cancelAll();
        releaseFirst();
        assertEquals(List.of("first"), served);
    }

    @Test
    void shouldServeAnyNumberOfWaitersThatGiveTheirBufferBackAtOnce() {
        allocate(share, "first", CAPACITY);
        int[] count = {0};
        for (int i = 0; i < 100_000; i++) {
            share.allocate(new BufferPool.Waiter() {
                @Override
                public int wantedBytes() {
                    return CAPACITY;
                }

                @Override
                public void onBuffer(MemoryBlock buffer) {
                    count[0]++;
                    share.release(buffer);
                }
            });
        }
        releaseFirst();
        assertEquals(100_000, count[0], "without a stack as deep");
    }

    @Test
    void shouldNotLookAtAllWhoWaitForEachThatComes() {
        allocate(share, "all", CAPACITY);
        int[] looks = {0};
        for (int i = 0; i < 1000; i++) {
            BufferPool.Share waiting = pool.share();
            waiting.allocate(new BufferPool.Waiter() {
                @Override
                public int wantedBytes() {
                    looks[0]++;
                    return 4096;
                }

                @Override
                public void onBuffer(MemoryBlock buffer) {
                    served.add("one");
                    waiting.release(buffer);
                }
            });
        }
        assertTrue(looks[0] <= 2000, looks[0] + " looks");
        releaseFirst();
        assertEquals(1001, served.size());
    }

    @Test
    void shouldServeWhatARequestAsksForWhileItIsServed() {
        share.allocate(new BufferPool.Waiter() {
            @Override
            public int wantedBytes() {
                return 4096;
            }

            @Override
            public void onBuffer(MemoryBlock buffer) {
                held.add(new Held(share, buffer));
                allocate(share, "same queue", 4096);
                allocate(other, "another", 4096);
            }
        });
        assertEquals(List.of("same queue", "another"), served);
    }

    @Test
    void shouldHandOutNoMoreCapsuleBuffersThanItsBoundAndUseThemAgain() {
        CapsuleBuffers buffers = pool.capsuleBuffers();
        List<MemoryBlock> taken = new ArrayList<>();
        for (int i = 0; i < CAPACITY / 8192; i++) {
            MemoryBlock buffer = buffers.take();
            assertNotNull(buffer);
            taken.add(buffer);
        }
        assertNull(buffers.take());
        MemoryBlock last = taken.get(taken.size() - 1);
        last.release();
        assertSame(last, buffers.take());
        taken.forEach(MemoryBlock::release);
    }
}
