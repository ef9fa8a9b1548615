package io.nvmf.target;

import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEventLoop;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.backend.BlockCompletion;
import io.nvmf.target.backend.BlockDevice;
import io.nvmf.target.backend.BlockError;
import io.nvmf.target.backend.memory.MemoryBlockDevice;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Memory whose writes are done only when a test says so, and which fails when a test says so. */
final class HeldDevice implements BlockDevice {
    private final MemoryBlockDevice memory = new MemoryBlockDevice(TargetTestBase.NAMESPACE_BYTES);
    private final List<Runnable> held = new ArrayList<>();
    private boolean holding = true;
    private volatile boolean atOnce;
    private volatile BlockError failure = BlockError.NONE;
    private volatile BlockError flushFailure = BlockError.NONE;
    private volatile Set<Call> throwing = Set.of();
    private volatile boolean closed;

    /** How many writes wait. */
    synchronized int held() {
        return held.size();
    }

    /** Does the writes that wait, and later ones at once. */
    synchronized void letGo() {
        holding = false;
        held.forEach(Runnable::run);
        held.clear();
    }

    /** Does what is asked for by {@link BlockChannel#writeNow}, which is refused else, and holds other writes as before. */
    void takeAtOnce() {
        atOnce = true;
    }

    /** Lets reads and writes fail from now on, or not any more. */
    void failWith(BlockError error) {
        failure = error;
    }

    /** Lets flushes fail from now on, or not any more. */
    void failFlushesWith(BlockError error) {
        flushFailure = error;
    }

    enum Call {
        OPEN,
        READ,
        WRITE,
        FLUSH,
        WRITE_ZEROES,
        DEALLOCATE,
        CLOSE
    }

    /** Lets these calls throw from now on, and no others. */
    void throwOn(Call... calls) {
        throwing = Set.of(calls);
    }

    private void throwIfWanted(Call call) {
        if (throwing.contains(call)) {
            throw new IllegalStateException("thrown on purpose");
        }
    }

    /** Does the writes that wait; later ones wait again. */
    synchronized void letGoAndHold() {
        held.forEach(Runnable::run);
        held.clear();
    }

    private synchronized void doOrHold(Runnable write) {
        if (holding) {
            held.add(write);
        } else {
            write.run();
        }
    }

    @Override
    public BlockChannel openChannel(IoEventLoop loop) throws IOException {
        throwIfWanted(Call.OPEN);
        return new Channel(loop, memory.openChannel(loop));
    }

    private final class Channel implements BlockChannel {
        private final IoEventLoop loop;
        private final BlockChannel channel;

        Channel(IoEventLoop loop, BlockChannel channel) {
            this.loop = loop;
            this.channel = channel;
        }

        @Override
        public void read(long offset, ByteBuf buffer, int index, int length, BlockCompletion completion) {
            throwIfWanted(Call.READ);
            if (failure == BlockError.NONE) {
                channel.read(offset, buffer, index, length, completion);
            } else {
                completion.onComplete(failure);
            }
        }

        @Override
        public boolean readNow(long offset, ByteBuf buffer, int index, int length) {
            throwIfWanted(Call.READ);
            return failure == BlockError.NONE && channel.readNow(offset, buffer, index, length);
        }

        @Override
        public void write(long offset, ByteBuf buffer, int index, int length, boolean fua, BlockCompletion completion) {
            throwIfWanted(Call.WRITE);
            if (failure != BlockError.NONE) {
                completion.onComplete(failure);
                return;
            }
            doOrHold(() -> loop.execute(() -> channel.write(offset, buffer, index, length, fua, completion)));
        }

        @Override
        public boolean writeNow(long offset, ByteBuf buffer, int index, int length, boolean fua) {
            return atOnce && channel.writeNow(offset, buffer, index, length, fua);
        }

        @Override
        public void flush(BlockCompletion completion) {
            throwIfWanted(Call.FLUSH);
            if (flushFailure == BlockError.NONE) {
                channel.flush(completion);
            } else {
                completion.onComplete(flushFailure);
            }
        }

        @Override
        public void writeZeroes(long offset, long length, boolean deallocate, boolean fua, BlockCompletion completion) {
            throwIfWanted(Call.WRITE_ZEROES);
            channel.writeZeroes(offset, length, deallocate, fua, completion);
        }

        @Override
        public void deallocate(long offset, long length, BlockCompletion completion) {
            throwIfWanted(Call.DEALLOCATE);
            channel.deallocate(offset, length, completion);
        }

        @Override
        public void close() {
            throwIfWanted(Call.CLOSE);
            channel.close();
        }
    }

    @Override
    public long sizeBytes() {
        return memory.sizeBytes();
    }

    @Override
    public int alignmentBytes() {
        return memory.alignmentBytes();
    }

    @Override
    public boolean hasVolatileWriteCache() {
        return true;
    }

    @Override
    public String description() {
        return "held memory";
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public void close() throws IOException {
        closed = true;
        memory.close();
    }
}
