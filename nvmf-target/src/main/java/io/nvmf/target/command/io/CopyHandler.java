package io.nvmf.target.command.io;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Status;
import io.nvmf.codec.nvm.CopyCommand;
import io.nvmf.codec.nvm.CopyRange;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.backend.BlockCompletion;
import io.nvmf.target.backend.BlockError;
import io.nvmf.target.command.BlockErrors;
import io.nvmf.target.command.Command;
import io.nvmf.target.command.CommandHandler;
import io.nvmf.target.namespace.Namespace;
import io.nvmf.target.state.BlockSpan;
import java.nio.ByteBuffer;

/**
 * Copy (NVM Command Set 1.0 s3.2.2), descriptor format 0. Every range is checked before the first is touched. When one fails,
 * DW0 is its number.
 */
public final class CopyHandler extends NamespaceHandler {
    public static final int DESCRIPTOR_FORMAT = 0;

    public CopyHandler() {
        super(Access.WRITE);
    }

    @Override
    boolean needsScratch() {
        return true;
    }

    /** Where it reads is in the data; it has the namespace as a whole. */
    @Override
    long firstBlock(Command command) {
        return 0;
    }

    @Override
    long endBlock(Command command, Namespace namespace) {
        return namespace.blockCount();
    }

    @Override
    long check(Command command, Namespace namespace) {
        int count = CopyCommand.rangeCount(command.sqe());
        if (CopyCommand.descriptorFormat(command.sqe()) != DESCRIPTOR_FORMAT) {
            return CommandHandler.refuse(Status.INVALID_FIELD);
        }
        return count > Namespace.MAX_COPY_RANGES
                ? CommandHandler.refuse(Status.COMMAND_SIZE_LIMIT_EXCEEDED)
                : count * (long) CopyRange.BYTES;
    }

    @Override
    void execute(Command command, Namespace namespace, BlockChannel channel) {
        int count = CopyCommand.rangeCount(command.sqe());
        ByteBuffer ranges = Bytes.allocate(count * CopyRange.BYTES);
        command.data().getBytes(0, ranges.array());
        CopyRange range = new CopyRange();
        long total = 0;
        int status = Status.SUCCESS;
        int failed = 0;
        for (int i = 0; i < count && status == Status.SUCCESS; i++) {
            range.wrap(ranges, i * CopyRange.BYTES);
            status = checkRange(namespace, range);
            failed = i;
            total += range.blockCount();
        }
        if (status == Status.SUCCESS) {
            status = checkTarget(command, namespace, ranges, total);
            failed = 0;
        }
        if (status != Status.SUCCESS) {
            command.complete(status | Status.DNR, failed);
            return;
        }
        copyFrom(new Copying(command, namespace, channel, ranges), 0, CopyCommand.targetBlock(command.sqe()));
    }

    private static int checkRange(Namespace namespace, CopyRange range) {
        long start = range.startBlock();
        if (range.blockCount() > namespace.maxCopyRangeBlocks()) {
            return Status.COMMAND_SIZE_LIMIT_EXCEEDED;
        }
        if (!namespace.contains(start, range.blockCount())) {
            return Status.LBA_OUT_OF_RANGE;
        }
        return namespace.badBlocks().overlap(start, start + range.blockCount())
                ? Status.UNRECOVERED_READ_ERROR
                : Status.SUCCESS;
    }

    private static int checkTarget(Command command, Namespace namespace, ByteBuffer ranges, long total) {
        long target = CopyCommand.targetBlock(command.sqe());
        if (total > namespace.maxCopyBlocks()) {
            return Status.COMMAND_SIZE_LIMIT_EXCEEDED;
        }
        if (!namespace.contains(target, total)) {
            return Status.LBA_OUT_OF_RANGE;
        }
        CopyRange range = new CopyRange();
        for (int offset = 0; offset < ranges.capacity(); offset += CopyRange.BYTES) {
            long start = range.wrap(ranges, offset).startBlock();
            if (start < target + total && target < start + range.blockCount()) {
                return Status.OVERLAPPING_IO_RANGE;
            }
        }
        return Status.SUCCESS;
    }

    private record Copying(Command command, Namespace namespace, BlockChannel channel, ByteBuffer ranges) {}

    /** Copies one range after the other until the first error. */
    private static void copyFrom(Copying all, int number, long target) {
        if (number * CopyRange.BYTES == all.ranges.capacity()) {
            all.command.complete(Status.SUCCESS);
            return;
        }
        Namespace namespace = all.namespace;
        CopyRange range = new CopyRange().wrap(all.ranges, number * CopyRange.BYTES);
        int blocks = range.blockCount();
        long fromBytes = namespace.toBytes(range.startBlock());
        long toBytes = namespace.toBytes(target);
        boolean durable = BlockRange.mustBeDurable(all.command);
        new Pieces(all.command, namespace.toBytes(blocks)) {
            @Override
            void piece(long pieceFrom, int bytes, BlockCompletion completion) {
                all.channel.read(fromBytes + pieceFrom, command.scratch(), 0, bytes, error -> {
                    if (error == BlockError.NONE) {
                        all.channel.write(toBytes + pieceFrom, command.scratch(), 0, bytes, durable, completion);
                    } else {
                        completion.onComplete(error);
                    }
                });
            }

            @Override
            void ended(BlockError error) {
                if (error == BlockError.NONE) {
                    BlockSpan written = new BlockSpan(target, target + blocks);
                    BlockRange.makeReadable(
                            command, namespace, all.channel, written, () -> copyFrom(all, number + 1, written.end()));
                } else {
                    command.failed(error);
                    command.complete(BlockErrors.toStatus(error), number);
                }
            }
        }.run();
    }
}
