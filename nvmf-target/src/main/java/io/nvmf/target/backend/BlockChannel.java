package io.nvmf.target.backend;

import io.netty.buffer.ByteBuf;

/**
 * One event loop's way to a {@link BlockDevice}. Owned by that loop: every method is called on it and every completion
 * is called back on it, possibly before the method returns. Nothing here blocks.
 *
 * <p>Offsets and lengths are in bytes and aligned; an empty range is left alone. The namespace has checked that a range lies
 * inside the device, which may have become shorter meanwhile: then the operation is answered {@link
 * BlockError#OUT_OF_RANGE}. Operations may complete in any order. A buffer is direct and contiguous, stays the caller's, and must not be touched or released
 * before the completion; its indexes are neither used nor moved.
 */
public interface BlockChannel extends AutoCloseable {
    /** Fills {@code lengthBytes} bytes of {@code buffer} from {@code index} on. Deallocated ranges read as zeros. */
    void read(long offsetBytes, ByteBuf buffer, int index, int lengthBytes, BlockCompletion completion);

    /**
     * As {@link #read} when the data is at hand: it neither waits nor calls back.
     *
     * @return whether the data is in the buffer; if not, nobody will touch the buffer, and {@link #read} tells why or gets it
     */
    default boolean readNow(long offsetBytes, ByteBuf buffer, int index, int lengthBytes) {
        return false;
    }

    /**
     * Stores {@code lengthBytes} bytes of {@code buffer} from {@code index} on.
     *
     * @param forceUnitAccess complete only when the data would survive a loss of power
     */
    void write(
            long offsetBytes,
            ByteBuf buffer,
            int index,
            int lengthBytes,
            boolean forceUnitAccess,
            BlockCompletion completion);

    /**
     * As {@link #write} when it can be done at once: it neither waits nor calls back.
     *
     * @param buffer any
     * @return whether the data is stored; if not, a part of it may be, nobody will touch the buffer, and {@link #write} tells why
     *     or does it
     */
    default boolean writeNow(long offsetBytes, ByteBuf buffer, int index, int lengthBytes, boolean forceUnitAccess) {
        return false;
    }

    /** Completes when every write that completed before this call would survive a loss of power. */
    void flush(BlockCompletion completion);

    /**
     * Makes a range read as zeros.
     *
     * @param mayDeallocate the space may be given back as well
     * @param forceUnitAccess complete only when the zeros would survive a loss of power
     */
    void writeZeroes(
            long offsetBytes,
            long lengthBytes,
            boolean mayDeallocate,
            boolean forceUnitAccess,
            BlockCompletion completion);

    /** Gives the space of a range back where the device can; the range reads as zeros afterwards in any case. */
    void deallocate(long offsetBytes, long lengthBytes, BlockCompletion completion);

    /**
     * Closes the channel. What the system is already doing ends in its own time and calls back as usual. Operations
     * that wait, and the rest of those that are done piece by piece, are given up: they are answered
     * {@link BlockError#GONE}, as is every later one. Each still completes once, possibly before this returns. Closing
     * twice is harmless.
     */
    @Override
    void close();
}
