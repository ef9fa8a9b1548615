package io.nvmf.target.transport.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.nvmf.target.transport.Deadlines;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ProgressWatchTest {
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final ProgressWatch watch = new ProgressWatch(channel, 0);

    @AfterEach
    void release() {
        channel.finishAndReleaseAll();
    }

    @Test
    void shouldGiveAHostItsTimeToConnectAndNoMore() {
        assertNull(watch.problem(Deadlines.CONNECT_NANOS, true, false, 0));
        assertEquals("no Connect within 15 s", watch.problem(Deadlines.CONNECT_NANOS + 1, true, false, 0));
        assertNull(watch.problem(Deadlines.CONNECT_NANOS + 1, false, false, 0), "a connected host may be idle");
    }

    @Test
    void shouldNoticeAHostThatStopsWhileItOwesData() {
        watch.onRead(1000);
        assertNull(watch.problem(1000 + Deadlines.STALL_NANOS, false, true, 0));
        assertNotNull(watch.problem(1001 + Deadlines.STALL_NANOS, false, true, 0));
        assertNull(watch.problem(1001 + Deadlines.STALL_NANOS, false, false, 0));
    }

    @Test
    void shouldNoticeAHostThatDoesNotTakeItsAnswers() {
        channel.write(Unpooled.wrappedBuffer(new byte[100]));
        channel.unsafe().outboundBuffer().addFlush();
        assertNull(watch.problem(5, false, false, 0));
        assertNull(watch.problem(5 + Deadlines.STALL_NANOS, false, false, 0));
        channel.unsafe().outboundBuffer().progress(10);
        assertNull(watch.problem(6 + Deadlines.STALL_NANOS, false, false, 0), "some bytes went");
        assertNotNull(watch.problem(7 + 2 * Deadlines.STALL_NANOS, false, false, 0));
    }

    @Test
    void shouldGiveAHostThatHasTakenItsAnswersTimeToSendWhatTheyAskFor() {
        channel.write(Unpooled.wrappedBuffer(new byte[100]));
        channel.unsafe().outboundBuffer().addFlush();
        long taken = 2 * Deadlines.STALL_NANOS;
        assertNull(watch.problem(Deadlines.STALL_NANOS, false, true, 1));
        channel.unsafe().outboundBuffer().remove();
        assertNull(watch.problem(taken, false, true, 1), "it had to read before it could know what it owes");
        assertNull(watch.problem(taken + Deadlines.STALL_NANOS, false, true, 1));
        assertNotNull(watch.problem(taken + Deadlines.STALL_NANOS + 1, false, true, 1));
    }

    @Test
    void shouldEndAHostThatTricklesTheDataItOwes() {
        long now = 10 * Deadlines.TRANSFER_NANOS;
        watch.onRead(now);
        assertNull(watch.problem(now, false, false, Deadlines.TRANSFER_NANOS));
        assertEquals(
                "the host sends the data of a command too slowly",
                watch.problem(now, false, false, Deadlines.TRANSFER_NANOS + 1));
    }

    @Test
    void shouldEndAHostThatTakesItsDataTooSlowly() {
        for (int i = 0; i < 3; i++) {
            watch.onDataHanded();
        }
        assertNull(watch.problem(1, false, false, 0), "the mark is set");
        watch.onDataSent();
        watch.onDataSent();
        watch.onDataHanded();
        assertNull(watch.problem(1 + Deadlines.TRANSFER_NANOS, false, false, 0));
        String problem = watch.problem(2 + Deadlines.TRANSFER_NANOS, false, false, 0);
        assertEquals("the host takes its data too slowly", problem, "the third is still there");
        watch.onDataSent();
        assertNull(watch.problem(2 + Deadlines.TRANSFER_NANOS, false, false, 0), "a new mark");
    }

    @Test
    void shouldWaitOnlyAMomentAfterATermReq() {
        watch.onTerminating(10);
        assertNull(watch.terminating(10 + ProgressWatch.TERMINATE_NANOS));
        assertNotNull(watch.terminating(11 + ProgressWatch.TERMINATE_NANOS));
    }
}
