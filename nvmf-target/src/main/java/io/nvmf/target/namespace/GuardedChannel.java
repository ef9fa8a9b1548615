package io.nvmf.target.namespace;

import io.netty.buffer.ByteBuf;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.backend.BlockCompletion;
import io.nvmf.target.backend.BlockError;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A channel whose calls throw only what a completion has thrown: a device that throws ends the command that it threw on, and
 * nothing else. Allocates for completions alone that are no {@link GuardedCompletion}. Owned by the channel's event loop.
 */
final class GuardedChannel implements BlockChannel {
    private static final Logger LOG = LoggerFactory.getLogger(GuardedChannel.class);

    private final BlockChannel channel;

    GuardedChannel(BlockChannel channel) {
        this.channel = channel;
    }

    @Override
    public void read(long offsetBytes, ByteBuf buffer, int index, int lengthBytes, BlockCompletion completion) {
        GuardedCompletion guarded = begin(completion);
        try {
            channel.read(offsetBytes, buffer, index, lengthBytes, guarded);
        } catch (RuntimeException | Error e) {
            if (!guarded.answers(e)) {
                throw e;
            }
        }
    }

    /** Where the device throws it has nothing at hand: the command goes on to {@link #read}, which tells. */
    @Override
    public boolean readNow(long offsetBytes, ByteBuf buffer, int index, int lengthBytes) {
        try {
            return channel.readNow(offsetBytes, buffer, index, lengthBytes);
        } catch (RuntimeException | Error e) {
            LOG.debug("a backend has thrown", e);
            return false;
        }
    }

    @Override
    public void write(
            long offsetBytes,
            ByteBuf buffer,
            int index,
            int lengthBytes,
            boolean forceUnitAccess,
            BlockCompletion completion) {
        GuardedCompletion guarded = begin(completion);
        try {
            channel.write(offsetBytes, buffer, index, lengthBytes, forceUnitAccess, guarded);
        } catch (RuntimeException | Error e) {
            if (!guarded.answers(e)) {
                throw e;
            }
        }
    }

    /** As {@link #readNow} where the device throws. */
    @Override
    public boolean writeNow(long offsetBytes, ByteBuf buffer, int index, int lengthBytes, boolean forceUnitAccess) {
        try {
            return channel.writeNow(offsetBytes, buffer, index, lengthBytes, forceUnitAccess);
        } catch (RuntimeException | Error e) {
            LOG.debug("a backend has thrown", e);
            return false;
        }
    }

    @Override
    public void flush(BlockCompletion completion) {
        GuardedCompletion guarded = begin(completion);
        try {
            channel.flush(guarded);
        } catch (RuntimeException | Error e) {
            if (!guarded.answers(e)) {
                throw e;
            }
        }
    }

    @Override
    public void writeZeroes(
            long offsetBytes,
            long lengthBytes,
            boolean mayDeallocate,
            boolean forceUnitAccess,
            BlockCompletion completion) {
        GuardedCompletion guarded = begin(completion);
        try {
            channel.writeZeroes(offsetBytes, lengthBytes, mayDeallocate, forceUnitAccess, guarded);
        } catch (RuntimeException | Error e) {
            if (!guarded.answers(e)) {
                throw e;
            }
        }
    }

    @Override
    public void deallocate(long offsetBytes, long lengthBytes, BlockCompletion completion) {
        GuardedCompletion guarded = begin(completion);
        try {
            channel.deallocate(offsetBytes, lengthBytes, guarded);
        } catch (RuntimeException | Error e) {
            if (!guarded.answers(e)) {
                throw e;
            }
        }
    }

    private static GuardedCompletion begin(BlockCompletion completion) {
        GuardedCompletion guarded = completion instanceof GuardedCompletion own ? own : new Once(completion);
        guarded.begin();
        return guarded;
    }

    private static final class Once extends GuardedCompletion {
        private final BlockCompletion completion;

        Once(BlockCompletion completion) {
            this.completion = completion;
        }

        @Override
        protected void completed(BlockError error) {
            completion.onComplete(error);
        }
    }

    /** Others are closed, too, when one cannot be. */
    @Override
    public void close() {
        try {
            channel.close();
        } catch (RuntimeException | Error e) {
            LOG.error("a device's channel was not closed", e);
        }
    }
}
