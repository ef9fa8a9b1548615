package io.nvmf.target.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.log.ReservationNotification;
import org.junit.jupiter.api.Test;

class ReservationNoticesTest {
    private final ReservationNotices notices = new ReservationNotices();

    @Test
    void shouldShowOnePageAfterTheOther() {
        assertEquals(ReservationNotification.EMPTY, notices.page());
        notices.add(5, 2);
        notices.add(6, 3);
        assertEquals(new ReservationNotification(1, 2, 1, 5), notices.page());
        assertTrue(notices.read());
        assertEquals(new ReservationNotification(2, 3, 0, 6), notices.page());
        assertFalse(notices.read());
        assertFalse(notices.read(), "reading nothing");
    }

    @Test
    void shouldKnowWhatIsMasked() {
        notices.mask(5, 1 << 2);
        assertTrue(notices.isMasked(5, 2));
        assertFalse(notices.isMasked(5, 1));
        assertFalse(notices.isMasked(6, 2));
    }

    @Test
    void shouldLoseTheOldestAndShowThatItDid() {
        for (int i = 0; i < ReservationNotices.MAX_PAGES + 10; i++) {
            notices.add(i, 1);
        }
        assertEquals(new ReservationNotification(11, 1, 255, 10), notices.page());
    }
}
