package io.nvmf.target.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.nvmf.transport.PageAlignedAllocator;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BufferPoolTest {
    private final BufferPool pool = new BufferPool(new PageAlignedAllocator(1), 64 * 1024);
    private final List<String> served = new ArrayList<>();
    private final List<ByteBuf> held = new ArrayList<>();

    private BufferPool.Waiter waiter(String name, int bytes) {
        return new BufferPool.Waiter() {
            @Override
            public int wantedBytes() {
                return bytes;
            }

            @Override
            public void onBuffer(ByteBuf buffer) {
                served.add(name);
                held.add(buffer);
            }
        };
    }

    @AfterEach
    void giveAllBack() {
        while (!held.isEmpty()) {
            pool.release(held.remove(0));
        }
        assertEquals(64 * 1024, pool.freeBytes());
    }

    @Test
    void shouldHandOutPageAlignedBuffersOfTheWantedLength() {
        pool.allocate(waiter("a", 512));
        pool.allocate(waiter("b", 5000));
        for (ByteBuf buffer : held) {
            assertTrue(buffer.isDirect());
            assertEquals(0, buffer.memoryAddress() % 4096);
        }
        assertEquals(5000, held.get(1).capacity());
        assertEquals(64 * 1024 - 4096 - 8192, pool.freeBytes());
    }

    @Test
    void shouldServeWaitersInOrderEvenWhenALaterOneWouldFit() {
        pool.allocate(waiter("first", 60 * 1024));
        pool.allocate(waiter("large", 32 * 1024));
        pool.allocate(waiter("small", 4096));
        assertEquals(List.of("first"), served);
        pool.release(held.remove(0));
        assertEquals(List.of("first", "large", "small"), served);
    }

    @Test
    void shouldForgetACancelledWaiter() {
        pool.allocate(waiter("first", 64 * 1024));
        BufferPool.Waiter second = waiter("second", 4096);
        pool.allocate(second);
        assertTrue(pool.cancel(second));
        assertFalse(pool.cancel(second));
        pool.release(held.remove(0));
        assertEquals(List.of("first"), served);
    }

    @Test
    void shouldServeAnyNumberOfWaitersThatGiveTheirBufferBackAtOnce() {
        pool.allocate(waiter("first", 64 * 1024));
        int[] count = {0};
        for (int i = 0; i < 100_000; i++) {
            pool.allocate(new BufferPool.Waiter() {
                @Override
                public int wantedBytes() {
                    return 64 * 1024;
                }

                @Override
                public void onBuffer(ByteBuf buffer) {
                    count[0]++;
                    pool.release(buffer);
                }
            });
        }
        pool.release(held.remove(0));
        assertEquals(100_000, count[0], "without a stack as deep");
    }
}
