package io.nvmf.tools;

import io.nvmf.codec.identify.IdentifyController.Field;
import io.nvmf.codec.log.ErrorLogEntry;
import io.nvmf.codec.log.LogPageId;
import io.nvmf.tools.output.ErrorLogFields;
import io.nvmf.tools.output.Json;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.cli.Options;

/** {@code nvmf error-log}: the Error Information log. */
final class ErrorLogCommand extends DeviceCommand {
    private static final String LOG_ENTRIES = "log-entries";
    private static final int DEFAULT_ENTRIES = 64;
    private static final int MAX_ENTRIES = 256;

    ErrorLogCommand() {
        super("error-log", "show the latest errors of a controller (log 01h)", Queues.ADMIN);
    }

    @Override
    public List<String> details() {
        return List.of(
                "The log is the controller's, and each nvmf command has one of its own: on most targets it tells nothing of what",
                "other commands and hosts have done. It is of use on a target that keeps one for all, as a disk does.");
    }

    @Override
    List<String> exampleOptions() {
        return List.of("-e 16", "-o json");
    }

    @Override
    void addOptions(Options options) {
        options.addOption(CommonOptions.value(
                        "e",
                        LOG_ENTRIES,
                        "N",
                        "errors at most, newest first (default " + DEFAULT_ENTRIES + ", or all the controller keeps)"))
                .addOption(DeviceOptions.rawBinary())
                .addOption(CommonOptions.outputFormat());
    }

    @Override
    Action prepare(Arguments arguments) throws CommandException {
        OutputFormat format = arguments.outputFormat();
        boolean raw = arguments.has(DeviceOptions.RAW_BINARY);
        int wanted = arguments.number(LOG_ENTRIES, DEFAULT_ENTRIES, 1, MAX_ENTRIES);
        return (device, console) -> {
            int kept = (int) device.controller().identify().get(Field.ELPE) + 1;
            int count = Math.min(wanted, kept);
            ByteBuffer page = device.log(LogPageId.ERROR_INFORMATION, 0, count * ErrorLogEntry.BYTES, sqe -> {});
            List<ErrorLogEntry> entries = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                ErrorLogEntry entry = ErrorLogEntry.decode(page, i * ErrorLogEntry.BYTES);
                if (entry.get(ErrorLogEntry.Field.COUNT) != 0) {
                    entries.add(entry);
                }
            }
            if (raw) {
                console.writeRaw(page);
            } else if (format == OutputFormat.JSON) {
                Json.print(console.out(), ErrorLogFields.toJson(entries));
            } else {
                console.out()
                        .printf(
                                "Error Log Entries for device:%s entries:%d%n",
                                device.controller().subsystemNqn(), entries.size());
                ErrorLogFields.print(console.out(), entries);
            }
        };
    }
}
