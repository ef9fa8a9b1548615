package io.nvmf.tools;

import static io.nvmf.tools.CommonOptions.flag;
import static io.nvmf.tools.CommonOptions.value;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.log.GetLogPageCommand;
import io.nvmf.tools.output.HexDump;
import io.nvmf.tools.output.Json;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.commons.cli.Options;

/** {@code nvmf get-log}: the bytes of any log page. */
final class GetLogCommand extends DeviceCommand {
    private static final String LOG_ID = "log-id";
    private static final String LOG_LENGTH = "log-len";
    private static final String OFFSET = "lpo";
    private static final String SPECIFIC_PARAMETER = "lsp";
    private static final String SPECIFIC_ID = "lsi";
    private static final String RETAIN = "rae";
    private static final String COMMAND_SET = "csi";
    private static final long MAX_LENGTH_BYTES = 1 << 26;

    GetLogCommand() {
        super("get-log", "show the bytes of any log page", Queues.ADMIN);
    }

    @Override
    List<String> exampleOptions() {
        return List.of("-i 2 -l 512", "-i 2 -l 512 -o json", "--log-id=0x70 --log-len=1024 --lpo=0 -b > log.bin");
    }

    @Override
    void addOptions(Options options) {
        options.addOption(value("i", LOG_ID, "LID", "log page identifier, needed"))
                .addOption(value("l", LOG_LENGTH, "BYTES", "bytes, a multiple of 4, needed"))
                .addOption(DeviceOptions.namespace("namespace (default: the whole controller)"))
                .addOption(value("L", OFFSET, "BYTES", "where to begin, a multiple of 4 (default 0)"))
                .addOption(value("s", SPECIFIC_PARAMETER, "N", "log specific parameter, 0 to 127 (default 0)"))
                .addOption(value("S", SPECIFIC_ID, "N", "log specific identifier (default 0)"))
                .addOption(flag("r", RETAIN, "leave the log's event as it is (RAE)"))
                .addOption(value("y", COMMAND_SET, "CSI", "command set, 0 NVM, 1 key value, 2 zoned (default 0)"))
                .addOption(DeviceOptions.rawBinary())
                .addOption(CommonOptions.outputFormat());
    }

    @Override
    Action prepare(Arguments arguments) throws CommandException {
        OutputFormat format = arguments.outputFormat();
        int logId = (int) arguments.requiredUnsigned(LOG_ID, 0xFF);
        int lengthBytes = (int) arguments.requiredUnsigned(LOG_LENGTH, MAX_LENGTH_BYTES);
        long offset = arguments.unsigned(OFFSET, 0, Long.MAX_VALUE);
        requireDwords(LOG_LENGTH, lengthBytes);
        requireDwords(OFFSET, offset);
        if (lengthBytes == 0) {
            throw new UsageException("--" + LOG_LENGTH + " is 0: there is nothing to read");
        }
        int specificParameter = (int) arguments.unsigned(SPECIFIC_PARAMETER, 0, 0x7F);
        long specificId = arguments.unsigned(SPECIFIC_ID, 0, 0xFFFF);
        int commandSet = (int) arguments.unsigned(COMMAND_SET, 0, 0xFF);
        boolean retain = arguments.has(RETAIN);
        boolean raw = arguments.has(DeviceOptions.RAW_BINARY);
        return (device, console) -> {
            ByteBuffer page = device.log(logId, offset, lengthBytes, sqe -> {
                GetLogPageCommand.lsp(sqe, specificParameter);
                GetLogPageCommand.specificId(sqe, (int) specificId);
                GetLogPageCommand.retainAsyncEvent(sqe, retain);
                GetLogPageCommand.csi(sqe, commandSet);
            });
            if (raw) {
                console.writeRaw(page);
            } else if (format == OutputFormat.JSON) {
                ObjectNode json = Json.object()
                        .put("log-id", logId)
                        .put("namespace-id", device.nsidOr(Sqe.NSID_ALL))
                        .put("data", HexDump.line(page));
                Json.print(console.out(), json);
            } else {
                console.out()
                        .printf(
                                "Device:%s log-id:%d namespace-id:%#x%n",
                                device.controller().subsystemNqn(), logId, device.nsidOr(Sqe.NSID_ALL));
                HexDump.print(console.out(), page);
            }
        };
    }

    private static void requireDwords(String option, long bytes) throws UsageException {
        if ((bytes & 3) != 0) {
            throw new UsageException("--" + option + " " + bytes + " is no multiple of 4");
        }
    }
}
