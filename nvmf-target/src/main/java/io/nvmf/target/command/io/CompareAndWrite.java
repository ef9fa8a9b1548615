package io.nvmf.target.command.io;

import io.nvmf.codec.Status;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.backend.BlockError;
import io.nvmf.target.command.BlockErrors;
import io.nvmf.target.command.Command;
import io.nvmf.target.namespace.Namespace;
import io.nvmf.target.namespace.RangeLock;

/**
 * The fused pair Compare and Write (NVM Command Set 1.0 s2.1.3): nobody, on whatever connection, reads or writes the blocks
 * between the two. Stateless; shared by all event loops.
 */
public final class CompareAndWrite {
    private CompareAndWrite() {}

    /** Executes and completes both; their data is there. Each names the same blocks, as many as ACWU allows. */
    public static void execute(Command compare, Command write) {
        if (compare.queue().isClosed()) {
            fail(compare, write, Status.ABORT_REQUESTED);
            return;
        }
        Namespace namespace = BlockRange.namespace(compare);
        BlockChannel channel = NamespaceHandler.channel(compare, namespace);
        if (channel == null) {
            fail(compare, write, Status.NAMESPACE_NOT_READY | Status.DNR);
            return;
        }
        int status = Admission.check(compare, namespace, Access.READ);
        int writeStatus = Admission.check(write, namespace, Access.WRITE);
        if (status != Status.SUCCESS || BlockRange.check(compare, namespace) < 0) {
            fail(compare, write, status != Status.SUCCESS ? status : Status.LBA_OUT_OF_RANGE | Status.DNR);
        } else if (writeStatus != Status.SUCCESS) {
            compare.complete(failedWith(writeStatus));
            write.complete(writeStatus);
        } else if (compare.scratch() == null) {
            compare.takeScratch(() -> execute(compare, write));
        } else {
            lock(compare, write, namespace, channel);
        }
    }

    private static void lock(Command compare, Command write, Namespace namespace, BlockChannel channel) {
        long start = ReadWriteCommand.startBlock(compare.sqe());
        RangeLock lock = new RangeLock(start, start + ReadWriteCommand.blockCount(compare.sqe()));
        RangeLock conflict = namespace.locks().acquire(lock);
        if (conflict != null) {
            compare.await(conflict, () -> execute(compare, write));
            return;
        }
        Pair pair = new Pair(compare, write, namespace, channel, lock);
        compare.queue().blocks().whenAllClear(namespace.locks(), lock, pair::begin);
    }

    private record Pair(Command compare, Command write, Namespace namespace, BlockChannel channel, RangeLock lock) {
        void begin() {
            namespace.counters().onRead(compare.dataLength());
            if (BlockRange.isBad(compare, namespace)) {
                namespace.counters().onMediaError();
                end(Status.UNRECOVERED_READ_ERROR | Status.DNR);
                return;
            }
            new Comparison(compare, channel, BlockRange.offsetBytes(namespace, compare.sqe()), this::compared).run();
        }

        private void compared(BlockError error, boolean equal) {
            if (error != BlockError.NONE) {
                compare.failed(error);
                end(BlockErrors.toStatus(error));
            } else if (!equal) {
                end(Status.COMPARE_FAILURE | Status.DNR);
            } else {
                namespace.counters().onWrite(write.dataLength());
                writeBlocks();
            }
        }

        private void writeBlocks() {
            channel.write(
                    BlockRange.offsetBytes(namespace, write.sqe()),
                    write.data(),
                    0,
                    write.dataLength(),
                    BlockRange.mustBeDurable(write),
                    this::written);
        }

        private void written(BlockError error) {
            namespace.locks().release(lock);
            if (error == BlockError.NONE) {
                compare.complete(Status.SUCCESS);
                write.complete(Status.SUCCESS);
            } else {
                write.failed(error);
                compare.complete(failedWith(BlockErrors.toStatus(error)));
                write.complete(BlockErrors.toStatus(error));
            }
        }

        /** Compare has ended, and nothing is written. */
        private void end(int status) {
            namespace.locks().release(lock);
            fail(compare, write, status);
        }
    }

    private static void fail(Command compare, Command write, int status) {
        compare.complete(status);
        write.complete(failedWith(status));
    }

    /** What a half is completed with when the other ends so. */
    public static int failedWith(int status) {
        return Status.FAILED_FUSED_COMMAND | status & Status.DNR;
    }
}
