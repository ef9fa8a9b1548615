package io.nvmf.target.command.io;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Status;
import io.nvmf.codec.nvm.DatasetManagementCommand;
import io.nvmf.codec.nvm.DatasetRange;
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
 * Dataset Management (NVM Command Set 1.0 s3.2.3). Deallocate gives space back; the other attributes are advice that is
 * not taken. Every range is checked before the first is touched. Linux describes 4096 bytes of data whatever the number
 * of ranges is.
 */
public final class DatasetManagementHandler extends NamespaceHandler {
    /** DMRL, the most that the field can tell. */
    public static final int MAX_RANGES = 255;
    /** DMRSL: as many blocks as a range can have. */
    public static final long MAX_RANGE_BLOCKS = 0xFFFF_FFFFL;

    public DatasetManagementHandler() {
        super(Access.WRITE);
    }

    /** Advice changes nothing. */
    @Override
    Access access(Command command) {
        return DatasetManagementCommand.deallocate(command.sqe()) ? Access.WRITE : Access.ADVISE;
    }

    /** Where its ranges are is in the data; it has the namespace as a whole. */
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
        if (DatasetManagementCommand.rangeCount(command.sqe()) > MAX_RANGES) {
            return CommandHandler.refuse(Status.COMMAND_SIZE_LIMIT_EXCEEDED);
        }
        return DatasetManagementCommand.rangeCount(command.sqe()) * (long) DatasetRange.BYTES;
    }

    @Override
    public boolean acceptsLongerData() {
        return true;
    }

    @Override
    void execute(Command command, Namespace namespace, BlockChannel channel) {
        int count = DatasetManagementCommand.rangeCount(command.sqe());
        ByteBuffer ranges = Bytes.allocate(count * DatasetRange.BYTES);
        command.data().getBytes(0, ranges.array());
        DatasetRange range = new DatasetRange();
        for (int i = 0; i < count; i++) {
            range.wrap(ranges, i * DatasetRange.BYTES);
            if (!namespace.contains(range.startBlock(), range.blockCount())) {
                command.complete(Status.LBA_OUT_OF_RANGE | Status.DNR);
                return;
            }
        }
        if (DatasetManagementCommand.deallocate(command.sqe())) {
            deallocateFrom(new Deallocation(command, namespace, channel, ranges, range), 0, BlockError.NONE);
        } else {
            command.complete(Status.SUCCESS);
        }
    }

    private record Deallocation(
            Command command, Namespace namespace, BlockChannel channel, ByteBuffer ranges, DatasetRange range) {}

    /** Deallocates one range after the other until the first error, or until the host is gone. */
    private static void deallocateFrom(Deallocation all, int offset, BlockError error) {
        int at = offset;
        while (at < all.ranges.capacity() && all.range.wrap(all.ranges, at).blockCount() == 0) {
            at += DatasetRange.BYTES;
        }
        if (at == all.ranges.capacity()
                || error != BlockError.NONE
                || all.command.queue().isClosed()) {
            all.command.complete(BlockErrors.toStatus(error));
            return;
        }
        int next = at + DatasetRange.BYTES;
        long start = all.range.startBlock();
        BlockSpan blocks = new BlockSpan(start, start + all.range.blockCount());
        BlockCompletion completion = e -> {
            if (e == BlockError.NONE) {
                BlockRange.makeReadable(
                        all.command,
                        all.namespace,
                        all.channel,
                        blocks,
                        () -> deallocateFrom(all, next, BlockError.NONE));
            } else {
                deallocateFrom(all, next, e);
            }
        };
        all.channel.deallocate(all.namespace.toBytes(start), all.namespace.toBytes(all.range.blockCount()), completion);
    }
}
