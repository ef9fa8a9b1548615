package io.nvmf.target.namespace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RangeLocksTest {
    private final RangeLocks locks = new RangeLocks();
    private final RangeLock lock = new RangeLock(10, 20);
    private final List<String> ran = new ArrayList<>();

    @Test
    void shouldKeepOthersFromBlocksUntilTheyAreGivenBack() {
        assertNull(locks.acquire(lock));
        assertSame(lock, locks.conflict(19, 30));
        assertSame(lock, locks.acquire(new RangeLock(0, 11)));
        assertNull(locks.conflict(20, 30));
        assertNull(locks.conflict(0, 10));
        lock.whenReleased(() -> ran.add("waited"));
        assertEquals(List.of(), ran);
        locks.release(lock);
        assertEquals(List.of("waited"), ran);
        assertNull(locks.conflict(10, 20));
        lock.whenReleased(() -> ran.add("at once"));
        assertEquals(List.of("waited", "at once"), ran);
    }

    @Test
    void shouldKeepNothingOfWhoHasGivenUpWaiting() {
        locks.acquire(lock);
        Runnable stays = () -> ran.add("stays");
        lock.whenReleased(stays);
        for (int i = 0; i < 100; i++) {
            Runnable goes = () -> ran.add("goes");
            lock.whenReleased(goes);
            lock.forget(goes);
        }
        // Lambdas that capture nothing of their own may be one object; stays is another.
        assertEquals(1, lock.waiting());
        locks.release(lock);
        assertEquals(List.of("stays"), ran);
    }
}
