package io.nvmf.target.transport.tcp;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class BacklogTest {
    private final Backlog backlog = new Backlog(10 << 20);

    @Test
    void shouldAllowMuchToOneHostWhileAllTogetherLeaveLittle() {
        assertTrue(backlog.allowsCopies(Backlog.MUCH_BYTES - 1));
        assertFalse(backlog.allowsCopies(Backlog.MUCH_BYTES));
    }

    @Test
    void shouldAllowLittleToEachWhileAllTogetherLeaveMuch() {
        backlog.grows(6 << 20);
        backlog.grows(5 << 20);
        assertTrue(backlog.allowsCopies(Backlog.LITTLE_BYTES - 1));
        assertFalse(backlog.allowsCopies(Backlog.LITTLE_BYTES));
        backlog.grows(-(2 << 20));
        assertTrue(backlog.allowsCopies(Backlog.LITTLE_BYTES));
    }
}
