package io.nvmf.target.queue;

import io.netty.channel.IoEventLoop;
import io.nvmf.target.namespace.NamespaceChannels;
import java.util.function.LongSupplier;

/**
 * What the queues of one event loop share: memory for data, channels to devices, the clock. Owned by the loop.
 *
 * @param clock of {@link System#nanoTime}
 */
public record TargetLoop(IoEventLoop loop, BufferPool buffers, NamespaceChannels channels, LongSupplier clock) {}
