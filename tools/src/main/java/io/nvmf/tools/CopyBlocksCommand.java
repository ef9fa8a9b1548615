package io.nvmf.tools;

import static io.nvmf.tools.CommonOptions.value;

import io.nvmf.codec.nvm.CopyCommand;
import io.nvmf.codec.nvm.CopyRange;
import io.nvmf.codec.nvm.ReadWriteCommand;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.commons.cli.Options;

/** {@code nvmf copy}: blocks copied by the controller. */
final class CopyBlocksCommand extends DeviceCommand {
    private static final String TARGET_BLOCK = "sdlba";
    private static final String BLOCKS = "blocks";
    private static final String START_BLOCKS = "slbs";

    CopyBlocksCommand() {
        super("copy", "have the controller copy blocks inside a namespace (Copy)", Queues.IO);
    }

    @Override
    List<String> exampleOptions() {
        return List.of("/1 --sdlba=1024 --slbs=0,64 --blocks=7,15");
    }

    @Override
    void addOptions(Options options) {
        options.addOption(DeviceOptions.namespace("namespace (default: the only one)"))
                .addOption(value("d", TARGET_BLOCK, "N", "first block to copy to, needed"))
                .addOption(value("s", START_BLOCKS, "N,...", "first block of each range to copy from, needed"))
                .addOption(value("b", BLOCKS, "N,...", "blocks of each range, zero-based, needed"))
                .addOption(DeviceOptions.limitedRetry())
                .addOption(DeviceOptions.forceUnitAccess());
    }

    @Override
    Action prepare(Arguments arguments) throws CommandException {
        long targetBlock = arguments.requiredUnsigned(TARGET_BLOCK, -1);
        List<Long> starts = arguments.unsignedList(START_BLOCKS, -1);
        List<Long> countsZeroBased = arguments.unsignedList(BLOCKS, CopyRange.MAX_BLOCKS - 1);
        DeviceOptions.requireRanges(START_BLOCKS, starts, BLOCKS, countsZeroBased);
        boolean limitedRetry = arguments.has(DeviceOptions.LIMITED_RETRY);
        boolean forceUnitAccess = arguments.has(DeviceOptions.FORCE_UNIT_ACCESS);
        return (device, console) -> {
            long nsid = device.requiredNsid();
            ByteBuffer data = Device.buffer(starts.size() * CopyRange.BYTES);
            for (int i = 0; i < starts.size(); i++) {
                new CopyRange()
                        .wrap(data, i * CopyRange.BYTES)
                        .set(starts.get(i), countsZeroBased.get(i).intValue() + 1);
            }
            device.io(
                    sqe -> {
                        CopyCommand.encode(sqe, nsid, targetBlock, starts.size());
                        ReadWriteCommand.limitedRetry(sqe, limitedRetry);
                        ReadWriteCommand.forceUnitAccess(sqe, forceUnitAccess);
                    },
                    data);
            console.out().println("NVMe Copy: success");
        };
    }
}
