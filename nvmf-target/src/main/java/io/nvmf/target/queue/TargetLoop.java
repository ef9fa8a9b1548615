package io.nvmf.target.queue;

import io.netty.channel.IoEventLoop;
import io.nvmf.target.namespace.NamespaceChannels;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * What the queues of one event loop share: memory for data, channels to devices, the clock. Owned by the loop.
 *
 * @param clock of {@link System#nanoTime}
 * @param queues those of controllers, for anyone to look at
 * @param traffic of queues that have ended
 */
public record TargetLoop(
        IoEventLoop loop,
        BufferPool buffers,
        NamespaceChannels channels,
        LongSupplier clock,
        Set<TargetQueue> queues,
        Traffic traffic) {
    public TargetLoop(IoEventLoop loop, BufferPool buffers, NamespaceChannels channels, LongSupplier clock) {
        this(loop, buffers, channels, clock, ConcurrentHashMap.newKeySet(), new Traffic());
    }
}
