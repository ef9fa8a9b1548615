package io.nvmf.initiator.queue;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CommandTimersTest {
    private static final int SLOT = 1;
    private static final long TIMEOUT_MS = 100;
    private static final long TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS);

    /** A clock that overflows while the tests run. */
    private long now = Long.MAX_VALUE - TIMEOUT_NS / 2;

    private final CommandTimers timers = new CommandTimers(SLOT + 1);

    private boolean isLateAfter(long ns) {
        now += ns;
        return timers.isLate(SLOT, now);
    }

    @Test
    void shouldCountFromTheFirstLookWhateverTimeHasPassedBefore() {
        timers.start(SLOT, TIMEOUT_MS);
        assertFalse(isLateAfter(10 * TIMEOUT_NS));
        assertFalse(isLateAfter(TIMEOUT_NS));
        assertTrue(isLateAfter(1));
    }

    @Test
    void shouldGiveTheNextCommandOfASlotItsOwnTime() {
        timers.start(SLOT, TIMEOUT_MS);
        assertFalse(isLateAfter(0));
        timers.stop(SLOT);
        timers.start(SLOT, 2 * TIMEOUT_MS);
        assertFalse(isLateAfter(TIMEOUT_NS));
        assertFalse(isLateAfter(2 * TIMEOUT_NS));
        assertTrue(isLateAfter(1));
    }

    @Test
    void shouldGiveTheSameTimeOnceMoreWhenExtended() {
        timers.start(SLOT, TIMEOUT_MS);
        assertFalse(isLateAfter(0));
        assertTrue(isLateAfter(TIMEOUT_NS + 1));
        assertFalse(timers.wasExtended(SLOT));
        timers.extend(SLOT);
        assertTrue(timers.wasExtended(SLOT));
        assertFalse(isLateAfter(0));
        assertFalse(isLateAfter(TIMEOUT_NS));
        assertTrue(isLateAfter(1));
        timers.start(SLOT, TIMEOUT_MS);
        assertFalse(timers.wasExtended(SLOT));
    }

    @Test
    void shouldNeverBeLateWhenStoppedOrWithoutATimeout() {
        timers.start(SLOT, TIMEOUT_MS);
        assertFalse(isLateAfter(0));
        timers.stop(SLOT);
        assertFalse(isLateAfter(2 * TIMEOUT_NS));
        timers.start(SLOT, 0);
        assertFalse(isLateAfter(0));
        assertFalse(isLateAfter(2 * TIMEOUT_NS));
    }
}
