package io.nvmf.target.backend;

import io.netty.channel.IoEventLoop;
import java.io.IOException;

/**
 * What a namespace stores its blocks in: a file, memory, or anything else that reads and writes byte ranges.
 *
 * <p>A device may be used from many event loops; each opens one channel of its own. The device itself may be asked
 * from any thread; of what it answers, its length alone ever changes.
 */
public interface BlockDevice extends AutoCloseable {
    /** Length of the device in bytes now, a multiple of {@link #alignmentBytes()}; see {@link #resize}. */
    long sizeBytes();

    /** Every offset, length and buffer address given to a channel must be a multiple of this; a power of two. */
    int alignmentBytes();

    /** Whether a write that has completed may still be lost with the machine's power until a flush: VWC in Identify. */
    boolean hasVolatileWriteCache();

    /** Whether all of it is lost when the device is closed. */
    default boolean isVolatile() {
        return false;
    }

    /** Whether a range, in bytes, is inside the device as long as it is now. */
    default boolean contains(long offsetBytes, long lengthBytes) {
        return offsetBytes >= 0 && lengthBytes >= 0 && offsetBytes <= sizeBytes() - lengthBytes;
    }

    /** Whether every change is answered {@link BlockError#READ_ONLY}. */
    default boolean isReadOnly() {
        return false;
    }

    /**
     * Makes the device longer, with zeros, or shorter. Blocks. What is under way beyond a new end may fail, or have no
     * effect.
     *
     * @param sizeBytes 0 to take the length of what lies under it, which someone else may have changed
     * @throws IOException when that cannot be: then it is as it was; the message is one sentence
     */
    default void resize(long sizeBytes) throws IOException {
        throw new IOException(description() + " cannot be resized");
    }

    /** Whether its channels work through the ring of an event loop that has one, at less cost than on other loops. */
    default boolean usesRing() {
        return false;
    }

    /** What it is, for a log line or a person: {@code file:/var/lib/a.img (direct)}. */
    String description();

    /**
     * Opens the channel through which one event loop reaches the device. Called on that loop or any other thread; the
     * channel is then used and closed on that loop alone. The loop must not end before the channel is closed and its
     * operations have completed: one that is under way then may never be answered.
     */
    BlockChannel openChannel(IoEventLoop loop) throws IOException;

    /**
     * Releases the device. All channels have been closed before; operations still under way on them are waited for, in
     * bounded time, so this is not for an event loop.
     */
    @Override
    void close() throws IOException;

    /** Closes a device that was never used: what opening it has created is removed. */
    default void discard() throws IOException {
        close();
    }
}
