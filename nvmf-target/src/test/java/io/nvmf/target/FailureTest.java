package io.nvmf.target;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.IoEventLoop;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class FailureTest extends TargetTestBase {
    @Test
    @Timeout(60)
    void shouldSayWhenAnEventLoopHasDiedAndStillClose() throws Exception {
        start();
        assertFalse(target.failure().isDone());
        IoEventLoop loop = target.loops().get(0).loop();
        loop.shutdownGracefully(0, 0, TimeUnit.MILLISECONDS).sync();
        String sentence = target.failure().get(10, TimeUnit.SECONDS);
        assertTrue(sentence.contains("an event loop has ended unasked"), sentence);
        target.close();
    }

    @Test
    void shouldNotSpeakOfFailureWhenItIsClosed() throws Exception {
        start();
        target.close();
        for (var loop : target.loops()) {
            loop.loop().terminationFuture().sync();
        }
        assertFalse(target.failure().isDone());
    }
}
