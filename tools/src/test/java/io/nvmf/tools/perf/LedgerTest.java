package io.nvmf.tools.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class LedgerTest {
    @Test
    void shouldKeepRequestsFromBlocksThatHaveOneOnItsWay() {
        Ledger ledger = new Ledger(16);
        assertTrue(ledger.claim(4, 4));
        assertFalse(ledger.claim(7, 1));
        assertFalse(ledger.claim(0, 5));
        assertFalse(ledger.claim(5, 1));
        assertTrue(ledger.claim(0, 4));
        assertTrue(ledger.claim(8, 8));
        ledger.release(4, 4);
        assertTrue(ledger.claim(5, 2));
    }

    @Test
    void shouldRememberHowOftenABlockWasWritten() {
        Ledger ledger = new Ledger(4);
        assertEquals(0, ledger.generation(2));
        ledger.written(2, 5);
        assertEquals(5, ledger.generation(2));
        assertEquals(0, ledger.generation(1));
    }
}
