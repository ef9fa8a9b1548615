package io.nvmf.initiator.namespace;

import io.nvmf.codec.Status;
import io.nvmf.codec.StatusNames;
import io.nvmf.initiator.queue.NvmeStatusException;

/** A fused Compare and Write failed, other than by a difference. Its status is the one of the command at fault. */
public final class FusedCommandException extends NvmeStatusException {
    private final int compareStatus;
    private final int writeStatus;

    FusedCommandException(String what, int compareStatus, int writeStatus) {
        super(
                what + " failed: compare " + StatusNames.describe(compareStatus, StatusNames.Kind.IO_NVM) + ", write "
                        + StatusNames.describe(writeStatus, StatusNames.Kind.IO_NVM),
                atFault(compareStatus, writeStatus));
        this.compareStatus = compareStatus;
        this.writeStatus = writeStatus;
    }

    /** A command whose partner failed is answered with Failed Fused Command, which tells nothing. */
    private static int atFault(int compareStatus, int writeStatus) {
        boolean compareTells =
                !Status.isSuccess(compareStatus) && Status.withoutFlags(compareStatus) != Status.FAILED_FUSED_COMMAND;
        return compareTells ? compareStatus : writeStatus;
    }

    public int compareStatus() {
        return compareStatus;
    }

    public int writeStatus() {
        return writeStatus;
    }
}
