package io.nvmf.it.speed;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Runs benchmarks on threads such as event loops have: on others Netty makes new objects where it uses old ones again. */
public final class LoopThreads extends ThreadPoolExecutor {
    /** As JMH calls it. */
    public LoopThreads(int threads, String namePrefix) {
        super(
                threads,
                threads,
                0,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                new DefaultThreadFactory(namePrefix, true));
    }
}
