package io.nvmf.target.backend.file;

import static java.util.Map.entry;

import io.nvmf.target.backend.BlockError;
import java.util.Map;
import java.util.Set;

/** Linux error numbers and, in this one place, what they mean to a block device. */
final class Errno {
    static final int EPERM = 1;
    static final int ENOENT = 2;
    static final int EINTR = 4;
    static final int EIO = 5;
    static final int ENXIO = 6;
    static final int EAGAIN = 11;
    static final int ENOMEM = 12;
    static final int EACCES = 13;
    static final int EBUSY = 16;
    static final int EEXIST = 17;
    static final int ENODEV = 19;
    static final int ENOTDIR = 20;
    static final int EINVAL = 22;
    static final int EFBIG = 27;
    static final int ENOSPC = 28;
    static final int EROFS = 30;
    static final int ENOSYS = 38;
    static final int ENODATA = 61;
    static final int EBADMSG = 74;
    static final int EOPNOTSUPP = 95;
    static final int ETIMEDOUT = 110;
    static final int ESTALE = 116;
    static final int EUCLEAN = 117;
    static final int EREMOTEIO = 121;
    static final int EDQUOT = 122;

    private static final Map<Integer, BlockError> BLOCK_ERRORS = Map.ofEntries(
            entry(ENOSPC, BlockError.NO_SPACE),
            entry(EDQUOT, BlockError.NO_SPACE),
            entry(EFBIG, BlockError.NO_SPACE),
            entry(EAGAIN, BlockError.BUSY),
            entry(EINTR, BlockError.BUSY),
            entry(ENOMEM, BlockError.BUSY),
            entry(EBUSY, BlockError.BUSY),
            entry(EOPNOTSUPP, BlockError.UNSUPPORTED),
            entry(ENOSYS, BlockError.UNSUPPORTED),
            entry(EROFS, BlockError.READ_ONLY),
            entry(EPERM, BlockError.READ_ONLY),
            entry(ENODEV, BlockError.GONE),
            entry(ENXIO, BlockError.GONE),
            entry(ESTALE, BlockError.GONE));

    /** The medium or what the file system wrote on it is bad: which way the data went makes the error. */
    private static final Set<Integer> MEDIUM_ERRORS = Set.of(EIO, ENODATA, EBADMSG, EUCLEAN, EREMOTEIO, ETIMEDOUT);

    private static final Set<Integer> PASSING = Set.of(EAGAIN, EINTR);
    private static final Set<Integer> UNSUPPORTED = Set.of(EOPNOTSUPP, ENOSYS);

    private Errno() {}

    static BlockError toBlockError(int errno, boolean isRead) {
        if (MEDIUM_ERRORS.contains(errno)) {
            return isRead ? BlockError.READ_ERROR : BlockError.WRITE_ERROR;
        }
        return BLOCK_ERRORS.getOrDefault(errno, BlockError.INTERNAL);
    }

    /** Whether the same call may well succeed at once. */
    static boolean isPassing(int errno) {
        return PASSING.contains(errno);
    }

    /** Whether the file system or the kernel does not know the call. */
    static boolean isUnsupported(int errno) {
        return UNSUPPORTED.contains(errno);
    }
}
