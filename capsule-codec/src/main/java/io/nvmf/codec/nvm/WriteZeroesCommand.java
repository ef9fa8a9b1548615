package io.nvmf.codec.nvm;

import io.nvmf.codec.Sqe;

/** What Write Zeroes has beside {@link ReadWriteCommand} (NVM Command Set 1.0 s3.2.8): CDW12 25 DEAC. */
public final class WriteZeroesCommand {
    private static final long DEALLOCATE = 1L << 25;

    private WriteZeroesCommand() {}

    /** DEAC: the blocks may be deallocated if they then read as zeros. */
    public static boolean deallocate(Sqe sqe) {
        return (sqe.cdw(12) & DEALLOCATE) != 0;
    }

    public static Sqe deallocate(Sqe sqe, boolean deallocate) {
        return ReadWriteCommand.setBit(sqe, DEALLOCATE, deallocate);
    }
}
