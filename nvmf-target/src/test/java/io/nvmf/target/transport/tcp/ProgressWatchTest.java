package io.nvmf.target.transport.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
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
        assertNull(watch.problem(ProgressWatch.CONNECT_NANOS, true, false));
        assertEquals("no Connect within 15 s", watch.problem(ProgressWatch.CONNECT_NANOS + 1, true, false));
        assertNull(watch.problem(ProgressWatch.CONNECT_NANOS + 1, false, false), "a connected host may be idle");
    }

    @Test
    void shouldNoticeAHostThatStopsWhileItOwesData() {
        watch.onRead(1000);
        assertNull(watch.problem(1000 + ProgressWatch.STALL_NANOS, false, true));
        assertNotNull(watch.problem(1001 + ProgressWatch.STALL_NANOS, false, true));
        assertNull(watch.problem(1001 + ProgressWatch.STALL_NANOS, false, false));
    }

    @Test
    void shouldNoticeAHostThatDoesNotTakeItsAnswers() {
        channel.write(Unpooled.wrappedBuffer(new byte[100]));
        channel.unsafe().outboundBuffer().addFlush();
        assertNull(watch.problem(5, false, false));
        assertNull(watch.problem(5 + ProgressWatch.STALL_NANOS, false, false));
        channel.unsafe().outboundBuffer().progress(10);
        assertNull(watch.problem(6 + ProgressWatch.STALL_NANOS, false, false), "some bytes went");
        assertNotNull(watch.problem(7 + 2 * ProgressWatch.STALL_NANOS, false, false));
    }

    @Test
    void shouldWaitOnlyAMomentAfterATermReq() {
        watch.onTerminating(10);
        assertNull(watch.terminating(10 + ProgressWatch.TERMINATE_NANOS));
        assertNotNull(watch.terminating(11 + ProgressWatch.TERMINATE_NANOS));
    }
}
