package io.nvmf.initiator.raw;

import io.nvmf.codec.rdma.AcceptData;
import io.nvmf.codec.rdma.RejectData;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What became of a request for a connection over RDMA.
 *
 * @param privateData what the target accepted or rejected with, padded by the transport; empty where the provider does not
 *     tell
 * @param why without a connection and without the target's own rejection: what was wrong
 */
public record CmAnswer(Kind kind, byte[] privateData, String why) {
    /** How it ended. */
    public enum Kind {
        ACCEPTED,
        /** The target's program has rejected it. */
        REJECTED,
        /** There is no connection, and it was not the target's program that said so. */
        FAILED,
        /** Nothing came in time. */
        SILENCE
    }

    static final byte[] NO_DATA = {};

    static CmAnswer failed(String why) {
        return new CmAnswer(Kind.FAILED, NO_DATA, why);
    }

    public boolean isAccepted() {
        return kind == Kind.ACCEPTED;
    }

    /** What it was accepted with; null when it was not, or that is not known. */
    public AcceptData accepted() {
        boolean known = isAccepted() && privateData.length >= AcceptData.BYTES;
        return known ? AcceptData.decode(littleEndian(), 0) : null;
    }

    /** What it was rejected with; null when it was not, or that is not known. */
    public RejectData rejected() {
        boolean known = kind == Kind.REJECTED && privateData.length >= RejectData.BYTES;
        return known ? RejectData.decode(littleEndian(), 0) : null;
    }

    private ByteBuffer littleEndian() {
        return ByteBuffer.wrap(privateData).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public String toString() {
        return RdmaText.of(this);
    }
}
