package io.nvmf.target.queue;

import io.netty.channel.IoEventLoop;
import io.nvmf.target.command.ScratchBuffers;
import io.nvmf.target.namespace.BlockTraffic;
import io.nvmf.target.namespace.NamespaceChannels;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * What the queues of one event loop share: memory for data, channels to devices, the clock. Owned by the loop.
 *
 * @param blocks the commands that are under way on blocks
 * @param clock of {@link System#nanoTime}
 * @param entries how many the queues of all loops may have
 * @param queues those of controllers, for anyone to look at
 * @param traffic of queues that have ended
 */
public record TargetLoop(
        IoEventLoop loop,
        BufferPool buffers,
        ScratchBuffers scratch,
        NamespaceChannels channels,
        BlockTraffic blocks,
        LongSupplier clock,
        EntryLimit entries,
        Set<TargetQueue> queues,
        Traffic traffic) {
    public TargetLoop(
            IoEventLoop loop,
            BufferPool buffers,
            NamespaceChannels channels,
            BlockTraffic blocks,
            LongSupplier clock,
            EntryLimit entries) {
        this(
                loop,
                buffers,
                new ScratchBuffers(),
                channels,
                blocks,
                clock,
                entries,
                ConcurrentHashMap.newKeySet(),
                new Traffic());
    }
}
