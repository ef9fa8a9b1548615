package io.nvmf.initiator.namespace;

import io.nvmf.initiator.transport.NvmfException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * A namespace as bytes: any position, any length, any buffers. Data is copied through a buffer of the channel. A write that
 * begins or ends inside a block reads that block and writes it back, which is <b>not atomic</b>: what others write to the
 * rest of the block in between is lost, also through another channel. What was written is safe after {@link #force}.
 *
 * <p>Any thread, one at a time: the others wait. Methods block and must not be called on an event loop. A namespace does
 * not grow: a write stops at its end, one that begins there fails, and it cannot be {@linkplain #truncate truncated}.
 * Closing neither flushes nor closes anything else.
 */
public final class NamespaceChannel implements SeekableByteChannel {
    private static final int BUFFER_BYTES = 1 << 20;

    private final Namespace namespace;
    private final boolean writable;
    private final int blockBytes;
    private final ByteBuffer buffer;
    private long position;
    private volatile boolean closed;

    NamespaceChannel(Namespace namespace, boolean writable) {
        this.namespace = namespace;
        this.writable = writable;
        blockBytes = namespace.blockSizeBytes();
        buffer = ByteBuffer.allocateDirect(Math.max(BUFFER_BYTES, 2 * blockBytes));
    }

    @Override
    public synchronized int read(ByteBuffer target) throws IOException {
        requireOpen();
        long left = size() - position;
        if (left <= 0) {
            return -1;
        }
        int inBlock = (int) (position % blockBytes);
        int length = (int) Math.min(Math.min(target.remaining(), left), buffer.capacity() - inBlock);
        if (length == 0) {
            return 0;
        }
        transferIn(position / blockBytes, wholeBlocks(inBlock + length));
        target.put(buffer.duplicate().position(inBlock).limit(inBlock + length));
        position += length;
        return length;
    }

    /** Writes all of the buffer, or as much as there is room for. */
    @Override
    public synchronized int write(ByteBuffer source) throws IOException {
        requireOpen();
        if (!writable) {
            throw new NonWritableChannelException();
        }
        long room = size() - position;
        if (source.hasRemaining() && room <= 0) {
            throw new IOException("The namespace ends at byte " + size() + "; nothing can be written at " + position);
        }
        int written = 0;
        while (source.hasRemaining() && position < size()) {
            written += writePiece(source, size() - position);
        }
        return written;
    }

    private int writePiece(ByteBuffer source, long room) throws IOException {
        long block = position / blockBytes;
        int inBlock = (int) (position % blockBytes);
        int length = (int) Math.min(Math.min(source.remaining(), room), buffer.capacity() - inBlock);
        int end = wholeBlocks(inBlock + length);
        buffer.clear();
        if (inBlock != 0) {
            transferIn(block, blockBytes);
        }
        boolean lastIsAnother = end > blockBytes || inBlock == 0;
        if (inBlock + length < end && lastIsAnother) {
            int last = end - blockBytes;
            buffer.limit(end).position(last);
            await(namespace.read(block + last / blockBytes, buffer));
        }
        buffer.clear();
        ByteBuffer piece = source.duplicate().limit(source.position() + length);
        buffer.duplicate().position(inBlock).put(piece);
        buffer.position(0).limit(end);
        await(namespace.write(block, buffer));
        buffer.clear();
        source.position(source.position() + length);
        position += length;
        return length;
    }

    private int wholeBlocks(int lengthBytes) {
        return (lengthBytes + blockBytes - 1) / blockBytes * blockBytes;
    }

    private void transferIn(long block, int lengthBytes) throws IOException {
        buffer.clear().limit(lengthBytes);
        await(namespace.read(block, buffer));
        buffer.clear();
    }

    /** Brings what was written to the medium. */
    public synchronized void force() throws IOException {
        requireOpen();
        await(namespace.flush());
    }

    private void await(CompletableFuture<Void> done) throws IOException {
        if (namespace.queues().select().loop().inEventLoop()) {
            throw new IllegalStateException("A namespace channel must not be used on an event loop");
        }
        try {
            done.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof NvmfException) {
                throw new IOException(e.getCause().getMessage(), e.getCause());
            }
            throw e;
        }
    }

    private void requireOpen() throws ClosedChannelException {
        if (closed) {
            throw new ClosedChannelException();
        }
    }

    @Override
    public synchronized long position() throws IOException {
        requireOpen();
        return position;
    }

    /** May lie behind the end. */
    @Override
    public synchronized SeekableByteChannel position(long newPosition) throws IOException {
        requireOpen();
        if (newPosition < 0) {
            throw new IllegalArgumentException("There is no position " + newPosition);
        }
        position = newPosition;
        return this;
    }

    /** Of the namespace, as it is now. */
    @Override
    public long size() throws IOException {
        requireOpen();
        return namespace.sizeBytes();
    }

    /**
     * Changes nothing when {@code size} is not smaller than the namespace, but for a position behind it.
     *
     * @throws IOException if it is smaller
     */
    @Override
    public synchronized SeekableByteChannel truncate(long size) throws IOException {
        requireOpen();
        if (!writable) {
            throw new NonWritableChannelException();
        }
        if (size < 0) {
            throw new IllegalArgumentException("There is no size " + size);
        }
        if (size < size()) {
            throw new IOException("A namespace cannot be truncated");
        }
        position = Math.min(position, size);
        return this;
    }

    @Override
    public boolean isOpen() {
        return !closed;
    }

    @Override
    public void close() {
        closed = true;
    }
}
