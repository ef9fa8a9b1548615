package io.nvmf.target.backend.file;

/** The system calls that operations are made of. */
enum FileCall {
    READ(22, 0),
    WRITE(23, 0),
    SYNC_DATA(3, 0),
    PUNCH_HOLE(17, LibC.FALLOC_FL_PUNCH_HOLE | LibC.FALLOC_FL_KEEP_SIZE),
    ZERO_RANGE(17, LibC.FALLOC_FL_ZERO_RANGE | LibC.FALLOC_FL_KEEP_SIZE),
    /** A write from a buffer of zeros, for file systems that can do neither of the two above. */
    WRITE_ZEROES(23, 0);

    /** IORING_OP_* of linux/io_uring.h. */
    final byte ringOpcode;

    /** FALLOC_FL_* of linux/falloc.h, where it is a fallocate. */
    final int allocateMode;

    FileCall(int ringOpcode, int allocateMode) {
        this.ringOpcode = (byte) ringOpcode;
        this.allocateMode = allocateMode;
    }

    /** Whether its result is a number of bytes, which may be fewer than asked for. */
    boolean isTransfer() {
        return this == READ || this == WRITE || this == WRITE_ZEROES;
    }

    boolean isAllocate() {
        return allocateMode != 0;
    }
}
