package io.nvmf.target.transport.tcp;

/**
 * How the data of one write is asked for: in one piece when the host takes one R2T a command, else in pieces of which several are
 * asked for at a time (MAXR2T, NVMe/TCP 1.0 s3.6.2.2). Data of one piece comes in order, pieces come as the host likes. Made
 * once for each slot of a queue. Owned by the connection's event loop.
 */
final class R2tWindow {
    /** More are not asked for at a time, whatever the host allows. */
    static final int MOST_AT_A_TIME = 8;

    /** What one R2T asks for when there are several: 32 of them are the longest transfer there can be. */
    static final int PIECE_BYTES = 128 * 1024;

    /** A transfer tag is the slot's number, which is below 1024, and above it the piece's. */
    private static final int SLOT_BITS = 10;

    private static final int MOST_PIECES = 32;

    private final int[] received = new int[MOST_PIECES];
    private int totalBytes;
    private int pieceBytes;
    private int asked;

    static int slot(int transferTag) {
        return transferTag & (1 << SLOT_BITS) - 1;
    }

    static int piece(int transferTag) {
        return transferTag >> SLOT_BITS;
    }

    static int transferTag(int slot, int piece) {
        return piece << SLOT_BITS | slot;
    }

    void begin(int dataLength, int atATime) {
        totalBytes = dataLength;
        pieceBytes = atATime == 1 ? dataLength : PIECE_BYTES;
        asked = 0;
    }

    /** Whether there is a piece that has not been asked for. */
    boolean hasNext() {
        return asked * pieceBytes < totalBytes;
    }

    /** The next piece, which is asked for now. */
    int next() {
        received[asked] = 0;
        return asked++;
    }

    int offset(int piece) {
        return piece * pieceBytes;
    }

    int length(int piece) {
        return Math.min(pieceBytes, totalBytes - offset(piece));
    }

    /** Whether the host owes data of a piece, any number. */
    boolean isOwed(int piece) {
        return piece < asked && owedBytes(piece) > 0;
    }

    int owedBytes(int piece) {
        return length(piece) - received[piece];
    }

    /** Where the next data of a piece belongs. */
    int nextOffset(int piece) {
        return offset(piece) + received[piece];
    }

    /** @return whether the piece is complete */
    boolean received(int piece, int lengthBytes) {
        received[piece] += lengthBytes;
        return owedBytes(piece) == 0;
    }
}
