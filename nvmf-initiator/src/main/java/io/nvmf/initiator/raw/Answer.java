package io.nvmf.initiator.raw;

import io.nvmf.codec.Cqe;
import io.nvmf.codec.Status;

/**
 * What became of a command.
 *
 * @param kind whether there was an answer at all
 * @param completion the entry that came; null when the data said SUCCESS instead, and when there was no answer
 * @param data what came for a command that expects data, as long as it expects; zero where nothing came
 * @param dataBytes how many bytes of it came; over RDMA, which does not tell, all of a success and none of a failure
 * @param fetchedBytes how many of the host's bytes the target asked for; over RDMA as with {@code dataBytes}
 * @param micros from its last byte sent to its answer
 */
public record Answer(Kind kind, Cqe completion, byte[] data, int dataBytes, int fetchedBytes, long micros) {
    /** How it ended. */
    public enum Kind {
        COMPLETED,
        /** Nothing came in time. */
        SILENCE,
        /** The connection ended first. */
        CONNECTION_ENDED
    }

    public boolean isCompleted() {
        return kind == Kind.COMPLETED;
    }

    /** Without flags; 0 for data that said SUCCESS. Only of a completed command. */
    public int status() {
        return Status.withoutFlags(rawStatus());
    }

    /** With its flags. */
    public int rawStatus() {
        if (!isCompleted()) {
            throw new IllegalStateException("the command has no status: " + kind);
        }
        return completion == null ? Status.SUCCESS : completion.status();
    }

    public boolean isSuccess() {
        return isCompleted() && status() == Status.SUCCESS;
    }

    /** DW0 in the low and DW1 in the high half; 0 without an entry. */
    public long result() {
        return completion == null ? 0 : completion.result();
    }

    public long dw0() {
        return result() & 0xFFFF_FFFFL;
    }

    @Override
    public String toString() {
        return switch (kind) {
            case SILENCE -> "no answer in time";
            case CONNECTION_ENDED -> "the end of the connection";
            case COMPLETED -> completion == null ? "data with SUCCESS" : PduText.of(completion);
        };
    }
}
