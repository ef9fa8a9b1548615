package io.nvmf.tools.transfer;

import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.tools.CommandException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.function.LongConsumer;

/**
 * Copies a range of a namespace to a stream or from one. Requests go to all I/O queues in turn. Uses {@code depth}
 * buffers of {@code ioBytes} and no more memory, however long the stream is. Owned by one thread, which it blocks.
 */
public final class BlockCopier {
    /** Takes as much as the stream has. */
    public static final long UNTIL_END = Long.MAX_VALUE;

    private final Namespace namespace;
    private final int ioQueues;
    private final int ioBytes;
    private final RequestRing ring;
    private final LongConsumer progress;
    private long writtenBytes;

    /**
     * @param ioQueues of the namespace's controller
     * @param depth requests on their way at a time
     * @param ioBytes data of a request, a multiple of the block size
     * @param progress told how many bytes are done
     */
    public BlockCopier(Namespace namespace, int ioQueues, int depth, int ioBytes, LongConsumer progress) {
        if (ioBytes % namespace.blockSizeBytes() != 0) {
            throw new IllegalArgumentException(ioBytes + " bytes are no multiple of the block size");
        }
        this.namespace = namespace;
        this.ioQueues = ioQueues;
        this.ioBytes = ioBytes;
        this.ring = new RequestRing(depth, ioBytes);
        this.progress = progress;
    }

    /**
     * Copies from the namespace.
     *
     * @param offsetBytes and {@code lengthBytes} are whole blocks inside the namespace
     */
    public void read(long offsetBytes, long lengthBytes, WritableByteChannel to)
            throws IOException, InterruptedException, CommandException {
        long asked = 0;
        long done = 0;
        while (done < lengthBytes) {
            while (asked < lengthBytes && !ring.isFull()) {
                RequestRing.Slot slot = ring.next();
                slot.buffer().clear().limit((int) Math.min(ioBytes, lengthBytes - asked));
                requireAccepted(namespace.submitRead(
                        slot.index() % ioQueues, blockOf(offsetBytes + asked), slot.buffer(), slot));
                ring.begun();
                asked += slot.buffer().remaining();
            }
            ByteBuffer data =
                    awaitOldest("read at byte " + (offsetBytes + done)).buffer();
            done += data.remaining();
            while (data.hasRemaining()) {
                to.write(data);
            }
            progress.accept(done);
        }
    }

    /**
     * Copies to the namespace; what was copied is safe after {@link Namespace#flush}.
     *
     * @param offsetBytes a whole number of blocks
     * @param lengthBytes as much as the stream must have, or {@link #UNTIL_END}
     * @param pad fills the last block with zeros when the stream ends inside it
     * @return bytes taken from the stream
     * @throws CommandException if a request failed, or the stream is too short, too long, or ends inside a block
     */
    public long write(ReadableByteChannel from, long offsetBytes, long lengthBytes, boolean pad)
            throws IOException, InterruptedException, CommandException {
        long taken = 0;
        boolean ended = false;
        while (!ended) {
            if (ring.isFull()) {
                awaitOldestWrite();
            }
            RequestRing.Slot slot = ring.next();
            ByteBuffer data = slot.buffer().clear().limit((int) Math.min(ioBytes, lengthBytes - taken));
            int got = fill(from, data);
            ended = got < ioBytes;
            Optional<String> problem = problem(offsetBytes, taken, got, pad);
            if (problem.isPresent()) {
                awaitWrites();
                throw new CommandException(problem.get() + "; " + taken + " bytes are written");
            }
            padBlock(data.clear(), got);
            if (got > 0) {
                requireAccepted(namespace.submitWrite(
                        slot.index() % ioQueues, blockOf(offsetBytes + taken), data, false, slot));
                ring.begun();
                taken += got;
            }
        }
        awaitWrites();
        if (lengthBytes != UNTIL_END && taken < lengthBytes) {
            throw new CommandException("the input has " + taken + " bytes, not the " + lengthBytes + " of --length; "
                    + taken + " bytes are written");
        }
        return taken;
    }

    /** Reads until the buffer is full or the stream ends; returns how many bytes. */
    private static int fill(ReadableByteChannel from, ByteBuffer data) throws IOException {
        while (data.hasRemaining() && from.read(data) >= 0) {
            // A pipe gives what it has.
        }
        return data.position();
    }

    /** Why {@code got} more bytes after {@code taken} cannot be written. */
    private Optional<String> problem(long offsetBytes, long taken, int got, boolean pad) {
        long spaceBytes = namespace.sizeBytes() - offsetBytes;
        if (got > spaceBytes - taken) {
            return Optional.of("the input has more than the " + spaceBytes + " bytes that namespace " + namespace.nsid()
                    + " has from byte " + offsetBytes + " on");
        }
        int rest = got % namespace.blockSizeBytes();
        if (rest != 0 && !pad) {
            return Optional.of("the input ends " + rest + " bytes into a block of " + namespace.blockSizeBytes()
                    + ", use --pad to fill it with zeros");
        }
        return Optional.empty();
    }

    private void padBlock(ByteBuffer data, int got) {
        int blockBytes = namespace.blockSizeBytes();
        int whole = (got + blockBytes - 1) / blockBytes * blockBytes;
        for (int at = got; at < whole; at++) {
            data.put(at, (byte) 0);
        }
        data.limit(whole);
    }

    private void awaitWrites() throws InterruptedException, CommandException {
        while (!ring.isEmpty()) {
            awaitOldestWrite();
        }
    }

    private void awaitOldestWrite() throws InterruptedException, CommandException {
        writtenBytes +=
                awaitOldest("write after " + writtenBytes + " bytes").buffer().remaining();
        progress.accept(writtenBytes);
    }

    private RequestRing.Slot awaitOldest(String what) throws InterruptedException, CommandException {
        try {
            return ring.awaitOldest(what);
        } catch (ConnectionLostException e) {
            throw new CommandException(e.getMessage() + whyLost(), e);
        }
    }

    /** A callback is told a status alone; a request after the loss fails with its reason. */
    private String whyLost() {
        try {
            namespace.flush().join();
            return "";
        } catch (CompletionException e) {
            Throwable reason = e.getCause() == null ? e : e.getCause();
            return ", because " + (reason.getCause() == null ? reason : reason.getCause()).getMessage();
        }
    }

    private long blockOf(long offsetBytes) {
        return offsetBytes / namespace.blockSizeBytes();
    }

    private static void requireAccepted(boolean accepted) {
        if (!accepted) {
            throw new IllegalStateException("the host's queues hold fewer requests than were allowed");
        }
    }
}
