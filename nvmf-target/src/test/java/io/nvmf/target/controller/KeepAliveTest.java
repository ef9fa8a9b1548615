package io.nvmf.target.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class KeepAliveTest {
    private static final long SECOND = 1_000_000_000L;

    private final KeepAlive keepAlive = new KeepAlive();

    @Test
    void shouldExpireAfterTheRoundedTimeWithoutASign() {
        keepAlive.start(1500, 0);
        assertEquals(2000, keepAlive.timeoutMs());
        assertFalse(keepAlive.hasExpired(2 * SECOND));
        assertTrue(keepAlive.hasExpired(2 * SECOND + 1));
        keepAlive.touch(2 * SECOND);
        assertFalse(keepAlive.hasExpired(4 * SECOND));
        assertTrue(keepAlive.hasExpired(4 * SECOND + 1));
    }

    @Test
    void shouldNeverExpireWhenOff() {
        keepAlive.start(0, 0);
        assertFalse(keepAlive.hasExpired(Long.MAX_VALUE));
        keepAlive.start(1, 0);
        keepAlive.stop();
        assertFalse(keepAlive.hasExpired(Long.MAX_VALUE));
        keepAlive.restart(5 * SECOND);
        assertEquals(1000, keepAlive.timeoutMs(), "kept while it was stopped");
        assertTrue(keepAlive.hasExpired(6 * SECOND + 1));
    }

    @Test
    void shouldTakeTheLongestTimeoutThereIs() {
        keepAlive.start(0xFFFF_FFFFL, 0);
        assertEquals(4_294_968_000L, keepAlive.timeoutMs());
        assertFalse(keepAlive.hasExpired(4_294_968L * SECOND));
        assertTrue(keepAlive.hasExpired(4_294_968L * SECOND + 1));
    }
}
