package io.nvmf.target.command;

import io.nvmf.codec.Status;
import io.nvmf.target.backend.BlockError;

/** How backend errors look to a host. */
public final class BlockErrors {
    private BlockErrors() {}

    public static int toStatus(BlockError error) {
        return switch (error) {
            case NONE -> Status.SUCCESS;
            case NO_SPACE -> Status.CAPACITY_EXCEEDED | Status.DNR;
            case READ_ERROR -> Status.UNRECOVERED_READ_ERROR | Status.DNR;
            case WRITE_ERROR -> Status.WRITE_FAULT | Status.DNR;
            case UNSUPPORTED -> Status.INVALID_OPCODE | Status.DNR;
            case READ_ONLY -> Status.NAMESPACE_WRITE_PROTECTED | Status.DNR;
            case OUT_OF_RANGE -> Status.LBA_OUT_OF_RANGE | Status.DNR;
            case BUSY -> Status.COMMAND_INTERRUPTED;
            case GONE -> Status.NAMESPACE_NOT_READY | Status.DNR;
            case INTERNAL -> Status.INTERNAL_ERROR;
        };
    }

    /** Whether the medium, rather than the request, is at fault. */
    public static boolean isMediaError(BlockError error) {
        return error == BlockError.READ_ERROR || error == BlockError.WRITE_ERROR;
    }
}
