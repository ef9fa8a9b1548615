package io.nvmf.tools;

import static io.nvmf.tools.CommonOptions.value;

import io.nvmf.initiator.controller.ConnectOptions;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.tools.transfer.BlockCopier;
import java.util.function.LongConsumer;
import org.apache.commons.cli.Options;

/** Which part of a namespace to copy, and with how many requests at a time. */
final class TransferOptions {
    private static final String OFFSET = "offset";
    private static final String LENGTH = "length";
    private static final String START_BLOCK = "start-block";
    private static final String BLOCK_COUNT = "block-count";
    private static final String IO_SIZE = "io-size";
    private static final String QUEUE_DEPTH = "queue-depth";

    private static final int DEFAULT_IO_BYTES = 128 << 10;
    private static final int MAX_IO_BYTES = 64 << 20;
    private static final int DEFAULT_DEPTH = 32;
    private static final int MAX_DEPTH = 1024;
    private static final long NOT_GIVEN = -1;

    private final Arguments arguments;

    private TransferOptions(Arguments arguments) {
        this.arguments = arguments;
    }

    static void addTo(Options options) {
        options.addOption(value(null, OFFSET, "SIZE", "first byte, a multiple of the block size (default 0)"))
                .addOption(value(null, LENGTH, "SIZE", "bytes, a multiple of the block size (default: up to the end)"))
                .addOption(value(null, START_BLOCK, "N", "first block, instead of --offset"))
                .addOption(value(
                        null,
                        BLOCK_COUNT,
                        "N",
                        "blocks, instead of --length; zero-based as in nvme-cli: 0 is one block, 7 are eight"))
                .addOption(value(
                        null, IO_SIZE, "SIZE", "bytes of a request (default " + Sizes.format(DEFAULT_IO_BYTES) + ")"))
                .addOption(value(
                        null,
                        QUEUE_DEPTH,
                        "N",
                        "requests on their way at a time, over all queues (default " + DEFAULT_DEPTH + ")"));
    }

    /** Checks what can be checked without the namespace. */
    static TransferOptions read(Arguments arguments) throws CommandException {
        requireOneOf(arguments, OFFSET, START_BLOCK);
        requireOneOf(arguments, LENGTH, BLOCK_COUNT);
        TransferOptions options = new TransferOptions(arguments);
        options.depth();
        options.ioBytes(1);
        options.offsetBytes(1);
        options.lengthBytes(1);
        return options;
    }

    private static void requireOneOf(Arguments arguments, String one, String other) throws UsageException {
        if (arguments.has(one) && arguments.has(other)) {
            throw new UsageException("--" + one + " cannot stand beside --" + other);
        }
    }

    private int depth() throws CommandException {
        return arguments.number(QUEUE_DEPTH, DEFAULT_DEPTH, 1, MAX_DEPTH);
    }

    private int ioBytes(int blockBytes) throws CommandException {
        int ioBytes = arguments.sizeInt(IO_SIZE, Math.max(DEFAULT_IO_BYTES, blockBytes));
        requireBlocks(IO_SIZE, ioBytes, blockBytes);
        if (ioBytes < 1 || ioBytes > MAX_IO_BYTES) {
            throw new UsageException(
                    "--io-size " + ioBytes + " is not from one block to " + Sizes.format(MAX_IO_BYTES));
        }
        return ioBytes;
    }

    private long offsetBytes(int blockBytes) throws CommandException {
        long startBlock = arguments.number(START_BLOCK, NOT_GIVEN, 0, Long.MAX_VALUE / blockBytes);
        long offset = startBlock == NOT_GIVEN ? arguments.size(OFFSET, 0) : startBlock * blockBytes;
        requireBlocks(OFFSET, offset, blockBytes);
        return offset;
    }

    /** {@link #NOT_GIVEN} when nothing was said. */
    private long lengthBytes(int blockBytes) throws CommandException {
        long blockCountZeroBased = arguments.number(BLOCK_COUNT, NOT_GIVEN, 0, Long.MAX_VALUE / blockBytes - 1);
        if (blockCountZeroBased != NOT_GIVEN) {
            return (blockCountZeroBased + 1) * blockBytes;
        }
        return arguments.size(LENGTH, NOT_GIVEN);
    }

    private static void requireBlocks(String option, long bytes, int blockBytes) throws CommandException {
        if (bytes % blockBytes != 0) {
            throw new CommandException("--" + option + " " + bytes + " is no multiple of the block size " + blockBytes);
        }
    }

    /**
     * A part of a namespace.
     *
     * @param lengthBytes that were asked for; all to the end of the namespace when nothing was said
     * @param isLengthGiven whether something was said
     */
    record Range(long offsetBytes, long lengthBytes, boolean isLengthGiven) {}

    /** The range inside a namespace. */
    Range range(Namespace namespace) throws CommandException {
        int blockBytes = namespace.blockSizeBytes();
        long offset = offsetBytes(blockBytes);
        long space = namespace.sizeBytes() - offset;
        if (space <= 0) {
            throw new CommandException("byte " + offset + " is beyond the end of namespace " + namespace.nsid()
                    + ", which has " + namespace.sizeBytes() + " bytes");
        }
        long length = lengthBytes(blockBytes);
        if (length == NOT_GIVEN) {
            return new Range(offset, space, false);
        }
        if (length > space) {
            throw new CommandException(length + " bytes from byte " + offset + " on end beyond namespace "
                    + namespace.nsid() + ", which has " + namespace.sizeBytes() + " bytes");
        }
        return new Range(offset, length, true);
    }

    /** As {@link #range}, in whole blocks. */
    Range wholeBlocks(Namespace namespace) throws CommandException {
        Range range = range(namespace);
        requireBlocks(LENGTH, range.lengthBytes(), namespace.blockSizeBytes());
        return range;
    }

    /** Makes room in the host's queues for as many requests as will be on their way. */
    ConnectOptions withRoom(ConnectOptions connect) throws CommandException {
        return connect.waitingRequests(depth());
    }

    BlockCopier copier(Controller controller, Namespace namespace, LongConsumer progress) throws CommandException {
        return new BlockCopier(
                namespace, controller.ioQueueCount(), depth(), ioBytes(namespace.blockSizeBytes()), progress);
    }
}
