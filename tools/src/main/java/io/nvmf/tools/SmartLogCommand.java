package io.nvmf.tools;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyController.Field;
import io.nvmf.codec.log.LogPageId;
import io.nvmf.codec.log.SmartLog;
import io.nvmf.tools.output.Json;
import io.nvmf.tools.output.SmartFields;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.commons.cli.Options;

/** {@code nvmf smart-log}: the SMART / Health Information log. */
final class SmartLogCommand extends DeviceCommand {
    SmartLogCommand() {
        super("smart-log", "show health and counters of a controller (log 02h)", Queues.ADMIN);
    }

    @Override
    List<String> exampleOptions() {
        return List.of("", "-o json");
    }

    @Override
    void addOptions(Options options) {
        options.addOption(DeviceOptions.namespace(
                        "namespace, of controllers that keep a log for each (default: the whole)"))
                .addOption(DeviceOptions.rawBinary())
                .addOption(CommonOptions.outputFormat());
    }

    @Override
    Action prepare(Arguments arguments) throws CommandException {
        OutputFormat format = arguments.outputFormat();
        boolean raw = arguments.has(DeviceOptions.RAW_BINARY);
        return (device, console) -> {
            if (device.nsidOr(Sqe.NSID_ALL) != Sqe.NSID_ALL && !keepsLogPerNamespace(device)) {
                throw new CommandException("the controller keeps one log for all namespaces (LPA bit 0 is 0):"
                        + " leave the namespace out");
            }
            ByteBuffer page = device.log(LogPageId.SMART_HEALTH, 0, SmartLog.BYTES, sqe -> {});
            SmartLog log = SmartLog.decode(page, 0);
            if (raw) {
                console.writeRaw(page);
            } else if (format == OutputFormat.JSON) {
                Json.print(console.out(), SmartFields.toJson(log));
            } else {
                console.out()
                        .printf(
                                "Smart Log for NVME device:%s namespace-id:%x%n",
                                device.controller().subsystemNqn(), device.nsidOr(Sqe.NSID_ALL));
                SmartFields.print(console.out(), log);
            }
        };
    }

    private static boolean keepsLogPerNamespace(Device device) {
        return (device.controller().identify().get(Field.LPA) & IdentifyController.LPA_SMART_PER_NAMESPACE) != 0;
    }
}
