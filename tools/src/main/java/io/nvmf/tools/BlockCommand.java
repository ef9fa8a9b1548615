package io.nvmf.tools;

import static io.nvmf.tools.CommonOptions.flag;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.codec.nvm.WriteZeroesCommand;
import java.util.List;
import org.apache.commons.cli.Options;

/** Commands that name a range of blocks and carry no data. */
final class BlockCommand extends DeviceCommand {
    private static final String DEALLOCATE = "deac";

    private final int opcode;
    private final String success;

    private BlockCommand(String name, String summary, int opcode, String success) {
        super(name, summary, Queues.IO);
        this.opcode = opcode;
        this.success = success;
    }

    static BlockCommand writeZeroes() {
        return new BlockCommand(
                "write-zeroes",
                "set blocks to zero (Write Zeroes)",
                Opcode.Nvm.WRITE_ZEROES,
                "NVME Write Zeroes Success");
    }

    static BlockCommand verify() {
        return new BlockCommand(
                "verify", "have blocks read without sending them (Verify)", Opcode.Nvm.VERIFY, "NVME Verify Success");
    }

    static BlockCommand writeUncorrectable() {
        return new BlockCommand(
                "write-uncor",
                "make blocks unreadable until they are written again (Write Uncorrectable)",
                Opcode.Nvm.WRITE_UNCORRECTABLE,
                "NVME Write Uncorrectable Success");
    }

    @Override
    List<String> exampleOptions() {
        return List.of("/1 --start-block=0 --block-count=7");
    }

    @Override
    void addOptions(Options options) {
        options.addOption(DeviceOptions.namespace("namespace (default: the only one)"))
                .addOption(DeviceOptions.startBlock())
                .addOption(DeviceOptions.blockCount());
        if (opcode != Opcode.Nvm.WRITE_UNCORRECTABLE) {
            options.addOption(DeviceOptions.limitedRetry()).addOption(DeviceOptions.forceUnitAccess());
        }
        if (opcode == Opcode.Nvm.WRITE_ZEROES) {
            options.addOption(flag("d", DEALLOCATE, "the blocks may be deallocated (DEAC)"));
        }
    }

    @Override
    Action prepare(Arguments arguments) throws CommandException {
        long startBlock = arguments.unsigned(DeviceOptions.START_BLOCK, 0, -1);
        int blockCount = (int) arguments.unsigned(DeviceOptions.BLOCK_COUNT, 0, ReadWriteCommand.MAX_BLOCKS - 1) + 1;
        boolean limitedRetry = arguments.has(DeviceOptions.LIMITED_RETRY);
        boolean forceUnitAccess = arguments.has(DeviceOptions.FORCE_UNIT_ACCESS);
        boolean deallocate = arguments.has(DEALLOCATE);
        return (device, console) -> {
            long nsid = device.requiredNsid();
            device.io(
                    sqe -> {
                        ReadWriteCommand.encode(sqe, opcode, nsid, startBlock, blockCount);
                        ReadWriteCommand.limitedRetry(sqe, limitedRetry);
                        ReadWriteCommand.forceUnitAccess(sqe, forceUnitAccess);
                        WriteZeroesCommand.deallocate(sqe, deallocate);
                    },
                    null);
            console.out().println(success);
        };
    }
}
