package io.nvmf.tools;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nvmf.codec.fabrics.Capabilities;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.fabrics.PropertyCommand;
import io.nvmf.tools.output.Json;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.commons.cli.Options;

/** {@code nvmf show-regs}: the properties of a controller. */
final class ShowRegsCommand extends DeviceCommand {
    ShowRegsCommand() {
        super("show-regs", "show the properties of a controller (Property Get)", Queues.ADMIN);
    }

    @Override
    List<String> exampleOptions() {
        return List.of("", "-o json");
    }

    @Override
    void addOptions(Options options) {
        options.addOption(CommonOptions.outputFormat());
    }

    @Override
    Action prepare(Arguments arguments) throws CommandException {
        OutputFormat format = arguments.outputFormat();
        return (device, console) -> {
            Map<Property, Long> values = new EnumMap<>(Property.class);
            for (Property property : Property.values()) {
                if (isThere(property, device)) {
                    values.put(property, device.admin(sqe -> PropertyCommand.encodeGet(sqe, property), null));
                }
            }
            if (format == OutputFormat.JSON) {
                ObjectNode json = Json.object();
                values.forEach((property, value) -> json.put(name(property), value));
                Json.print(console.out(), json);
            } else {
                values.forEach((property, value) -> console.out().printf("%-8s: %#x%n", name(property), value));
            }
        };
    }

    /** Two of them are only where CAP says so. */
    private static boolean isThere(Property property, Device device) {
        long capabilities = device.controller().capabilities();
        return switch (property) {
            case NSSR -> Capabilities.has(capabilities, Capabilities.SUBSYSTEM_RESET);
            case CRTO -> Capabilities.has(capabilities, Capabilities.CONTROLLER_READY_WITH_MEDIA);
            default -> true;
        };
    }

    private static String name(Property property) {
        return property.name().toLowerCase(Locale.ROOT);
    }
}
