package io.nvmf.target.transport.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class UntakenAnswersTest {
    private static final long MEMORY = 64 << 20;
    private static final int KIB = 1 << 10;

    @Test
    void shouldAllowOneConnectionAMebibyteHoweverMuchMemoryThereIs() {
        assertFalse(UntakenAnswers.isMuch(1023 * KIB, MEMORY, 1));
        assertTrue(UntakenAnswers.isMuch(1024 * KIB, MEMORY, 1));
    }

    @Test
    void shouldAllowManyConnectionsTheirShareOfAQuarter() {
        assertFalse(UntakenAnswers.isMuch(163 * KIB, MEMORY, 100));
        assertTrue(UntakenAnswers.isMuch(164 * KIB, MEMORY, 100));
    }

    @Test
    void shouldAllowEachALittleHoweverManyThereAre() {
        assertFalse(UntakenAnswers.isMuch(31 * KIB, MEMORY, 1_000_000));
        assertTrue(UntakenAnswers.isMuch(32 * KIB, MEMORY, 1_000_000));
    }

    @Test
    void shouldBearThatTheLastConnectionHasGone() {
        assertTrue(UntakenAnswers.isMuch(1 << 20, MEMORY, 0));
    }

    @Test
    void shouldStopReadingEarlierTheMoreConnectionsThereAre() {
        assertEquals(4 << 20, UntakenAnswers.waterMark(MEMORY, 1).high());
        assertEquals(1 << 20, UntakenAnswers.waterMark(MEMORY, 16).high());
        assertEquals(128 * KIB, UntakenAnswers.waterMark(MEMORY, 10_000).high());
        assertEquals(32 * KIB, UntakenAnswers.waterMark(MEMORY, 10_000).low());
    }
}
