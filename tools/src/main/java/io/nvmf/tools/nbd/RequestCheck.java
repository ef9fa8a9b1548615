package io.nvmf.tools.nbd;

/** What is wrong with a request, seen from its header. */
final class RequestCheck {
    private RequestCheck() {}

    /** The error to answer with, or 0. */
    static int error(NbdExport export, boolean structuredReplies, NbdRequest request) {
        int known = knownFlags(export, structuredReplies, request.type());
        if (known < 0 || (request.flags() & ~known) != 0) {
            return Nbd.EINVAL;
        }
        return switch (request.type()) {
            case Nbd.COMMAND_READ ->
                request.lengthBytes() > export.maxRequestBytes() ? Nbd.EINVAL : rangeError(export, request, Nbd.EINVAL);
            case Nbd.COMMAND_WRITE -> changeError(export, request, export.maxRequestBytes());
            case Nbd.COMMAND_TRIM, Nbd.COMMAND_WRITE_ZEROES -> changeError(export, request, Long.MAX_VALUE);
            default -> 0;
        };
    }

    /** Flags that a command may have; -1 for a command that is not there. */
    private static int knownFlags(NbdExport export, boolean structuredReplies, int type) {
        return switch (type) {
            case Nbd.COMMAND_READ -> Nbd.FLAG_FUA | (structuredReplies ? Nbd.FLAG_DF : 0);
            case Nbd.COMMAND_WRITE, Nbd.COMMAND_FLUSH, Nbd.COMMAND_DISCONNECT -> Nbd.FLAG_FUA;
            case Nbd.COMMAND_TRIM -> export.canTrim() ? Nbd.FLAG_FUA : -1;
            case Nbd.COMMAND_WRITE_ZEROES -> export.canWriteZeroes() ? Nbd.FLAG_FUA | Nbd.FLAG_NO_HOLE : -1;
            default -> -1;
        };
    }

    private static int changeError(NbdExport export, NbdRequest request, long maxBytes) {
        if (export.isReadOnly()) {
            return Nbd.EPERM;
        }
        return request.lengthBytes() > maxBytes ? Nbd.EINVAL : rangeError(export, request, Nbd.ENOSPC);
    }

    private static int rangeError(NbdExport export, NbdRequest request, int beyondTheEnd) {
        long offset = request.offset();
        long lengthBytes = request.lengthBytes();
        if (lengthBytes == 0) {
            return Nbd.EINVAL;
        }
        boolean isInside = offset >= 0 && offset <= export.sizeBytes() - lengthBytes;
        return isInside ? 0 : beyondTheEnd;
    }
}
