package io.nvmf.target.backend.file;

import io.nvmf.target.backend.BlockCompletion;

/**
 * One operation on its way: what is left of it, and the system call that is next. Owned by a {@link FileBlockChannel},
 * which uses it again and again, and lent to whatever makes the call until the result is back.
 */
final class FileOperation {
    /** Less than what Linux moves in one call, and such that what follows stays aligned. */
    private static final int MAX_TRANSFER_BYTES = 1 << 30;

    FileCall call;
    long offsetBytes;

    /** What is left. */
    long lengthBytes;

    /** Where in memory the caller's next byte lies; of no meaning to calls without a buffer. */
    long address;

    /** A write that must itself reach the medium. */
    boolean writesThrough;

    /** A sync must follow. */
    boolean needsSync;

    /** Where both are possible, a hole rather than allocated zeros. */
    boolean prefersHole;

    /** Repeats of the call without progress. */
    int attempts;

    /** What the call returned; for channels whose calls return on another thread. */
    long result;

    /** Makes the call on another thread; set by channels that need it. */
    Runnable task;

    BlockCompletion completion;

    /** The next on the list that it is on. */
    FileOperation next;

    int callLengthBytes() {
        return (int)
                Math.min(lengthBytes, call == FileCall.WRITE_ZEROES ? ZeroBuffer.LENGTH_BYTES : MAX_TRANSFER_BYTES);
    }

    long callAddress() {
        return call == FileCall.WRITE_ZEROES ? ZeroBuffer.ADDRESS : address;
    }

    void advance(long bytes) {
        offsetBytes += bytes;
        address += bytes;
        lengthBytes -= bytes;
        attempts = 0;
    }
}
