package io.nvmf.target.transport.tcp;

/**
 * The answers that hosts of one event loop leave where they are, all together, a little late; and how many of them may be
 * copies, which are in no bounded memory. Owned by the loop.
 */
final class Backlog {
    /** For one host, whatever becomes of the others: with what the kernel holds, enough for a host that takes its answers. */
    static final int LITTLE_BYTES = 64 << 10;

    /** For one host while all together leave little. */
    static final int MUCH_BYTES = 1 << 20;

    private final long boundBytes;
    private long untakenBytes;

    /** @param boundBytes from which on hosts that leave their answers get no more than {@link #LITTLE_BYTES} of copies */
    Backlog(long boundBytes) {
        this.boundBytes = boundBytes;
    }

    /** A host leaves so many bytes more than it did before; fewer when below 0. */
    void grows(long bytes) {
        untakenBytes += bytes;
    }

    /** Whether more may be copied for a host that has left so many bytes. */
    boolean allowsCopies(long untakenByHostBytes) {
        return untakenByHostBytes < (untakenBytes < boundBytes ? MUCH_BYTES : LITTLE_BYTES);
    }
}
