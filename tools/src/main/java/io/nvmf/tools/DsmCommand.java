package io.nvmf.tools;

import static io.nvmf.tools.CommonOptions.flag;
import static io.nvmf.tools.CommonOptions.value;

import io.nvmf.codec.nvm.DatasetManagementCommand;
import io.nvmf.codec.nvm.DatasetRange;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.commons.cli.Options;

/** {@code nvmf dsm}: Dataset Management. */
final class DsmCommand extends DeviceCommand {
    private static final String CONTEXT_ATTRIBUTES = "ctx-attrs";
    private static final String BLOCKS = "blocks";
    private static final String START_BLOCKS = "slbs";
    private static final String DEALLOCATE = "ad";
    private static final String INTEGRAL_WRITE = "idw";
    private static final String INTEGRAL_READ = "idr";
    private static final String CDW11 = "cdw11";

    DsmCommand() {
        super("dsm", "deallocate ranges of blocks, or say how they will be used (Dataset Management)", Queues.IO);
    }

    @Override
    List<String> exampleOptions() {
        return List.of("/1 --ad --slbs=0,1024 --blocks=8,16");
    }

    @Override
    void addOptions(Options options) {
        options.addOption(DeviceOptions.namespace("namespace (default: the only one)"))
                .addOption(value("s", START_BLOCKS, "N,...", "first block of each range, needed"))
                .addOption(value("b", BLOCKS, "N,...", "blocks of each range, needed"))
                .addOption(value("a", CONTEXT_ATTRIBUTES, "N,...", "context attributes of each range (default 0)"))
                .addOption(flag("d", DEALLOCATE, "the ranges may be deallocated (AD)"))
                .addOption(flag("w", INTEGRAL_WRITE, "each range will be written as a whole (IDW)"))
                .addOption(flag("r", INTEGRAL_READ, "each range will be read as a whole (IDR)"))
                .addOption(value("c", CDW11, "N", "command dword 11, instead of these three"));
    }

    @Override
    Action prepare(Arguments arguments) throws CommandException {
        List<Long> starts = arguments.unsignedList(START_BLOCKS, -1);
        List<Long> counts = arguments.unsignedList(BLOCKS, 0xFFFF_FFFFL);
        List<Long> contexts = arguments.unsignedList(CONTEXT_ATTRIBUTES, 0xFFFF_FFFFL);
        DeviceOptions.requireRanges(START_BLOCKS, starts, BLOCKS, counts);
        if (!contexts.isEmpty()) {
            DeviceOptions.requireRanges(START_BLOCKS, starts, CONTEXT_ATTRIBUTES, contexts);
        }
        int attributes = (arguments.has(DEALLOCATE) ? DatasetManagementCommand.DEALLOCATE : 0)
                | (arguments.has(INTEGRAL_WRITE) ? DatasetManagementCommand.INTEGRAL_WRITE : 0)
                | (arguments.has(INTEGRAL_READ) ? DatasetManagementCommand.INTEGRAL_READ : 0);
        if (attributes != 0 && arguments.has(CDW11)) {
            throw new UsageException("--" + CDW11 + " cannot stand beside --" + DEALLOCATE + ", --" + INTEGRAL_WRITE
                    + " or --" + INTEGRAL_READ);
        }
        int cdw11 = (int) arguments.unsigned(CDW11, attributes, 0xFFFF_FFFFL);
        return (device, console) -> {
            long nsid = device.requiredNsid();
            ByteBuffer data = Device.buffer(starts.size() * DatasetRange.BYTES);
            for (int i = 0; i < starts.size(); i++) {
                int at = i * DatasetRange.BYTES;
                new DatasetRange().wrap(data, at).set(starts.get(i), counts.get(i));
                data.putInt(at, contexts.isEmpty() ? 0 : contexts.get(i).intValue());
            }
            device.io(sqe -> DatasetManagementCommand.encode(sqe, nsid, starts.size(), cdw11), data);
            console.out().println("NVMe DSM: success");
        };
    }
}
