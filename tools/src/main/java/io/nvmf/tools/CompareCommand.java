package io.nvmf.tools;

import static io.nvmf.tools.CommonOptions.value;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.initiator.namespace.Namespace;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.commons.cli.Options;

/** {@code nvmf compare}: whether blocks are what a file has. */
final class CompareCommand extends DeviceCommand {
    private static final String DATA = "data";
    private static final String DATA_SIZE = "data-size";

    CompareCommand() {
        super("compare", "have the controller compare blocks with a file (Compare)", Queues.IO);
    }

    @Override
    List<String> exampleOptions() {
        return List.of("/1 -s 0 -c 7 -d expected.bin", "/1 --start-block=8 --data=- < expected.bin");
    }

    @Override
    void addOptions(Options options) {
        options.addOption(DeviceOptions.namespace("namespace (default: the only one)"))
                .addOption(DeviceOptions.startBlock())
                .addOption(DeviceOptions.blockCount())
                .addOption(value("d", DATA, "FILE", "what to compare with, - for standard input (default -)"))
                .addOption(value("z", DATA_SIZE, "BYTES", "bytes of it (default: those of the blocks)"))
                .addOption(DeviceOptions.limitedRetry())
                .addOption(DeviceOptions.forceUnitAccess());
    }

    @Override
    Action prepare(Arguments arguments) throws CommandException {
        long startBlock = arguments.unsigned(DeviceOptions.START_BLOCK, 0, -1);
        int blockCount = (int) arguments.unsigned(DeviceOptions.BLOCK_COUNT, 0, ReadWriteCommand.MAX_BLOCKS - 1) + 1;
        long dataBytes = arguments.unsigned(DATA_SIZE, 0, Integer.MAX_VALUE);
        String file = arguments.text(DATA, InputFile.STDIN);
        boolean limitedRetry = arguments.has(DeviceOptions.LIMITED_RETRY);
        boolean forceUnitAccess = arguments.has(DeviceOptions.FORCE_UNIT_ACCESS);
        return (device, console) -> {
            Namespace namespace = Namespaces.choose(device.controller(), device.nsid());
            long bytes = (long) blockCount * namespace.blockSizeBytes();
            if (dataBytes != 0 && dataBytes != bytes) {
                throw new UsageException("--" + DATA_SIZE + " " + dataBytes + " is not the " + bytes + " bytes of "
                        + blockCount + " blocks of " + namespace.blockSizeBytes());
            }
            long most = device.controller().maxTransferBytes();
            if (bytes > most) {
                throw new CommandException(
                        bytes + " bytes are more than the " + most + " of one command: compare fewer blocks at a time");
            }
            ByteBuffer data = InputFile.read(console, file, (int) bytes);
            device.io(
                    sqe -> {
                        ReadWriteCommand.encode(sqe, Opcode.Nvm.COMPARE, namespace.nsid(), startBlock, blockCount);
                        ReadWriteCommand.limitedRetry(sqe, limitedRetry);
                        ReadWriteCommand.forceUnitAccess(sqe, forceUnitAccess);
                    },
                    data);
            console.out().println("compare: Success");
        };
    }
}
