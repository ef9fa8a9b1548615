package io.nvmf.target.command.admin;

import io.nvmf.codec.Status;
import io.nvmf.codec.feature.FeaturesCommand;
import io.nvmf.codec.feature.TemperatureThreshold;
import io.nvmf.target.command.Command;
import io.nvmf.target.command.CommandHandler;
import io.nvmf.target.controller.Controller;
import io.nvmf.target.controller.Health;

/** Feature 04h, temperature threshold (NVMe Base 2.0 s5.27.1.3): one sensor, the composite temperature. */
final class TemperatureFeature {
    private TemperatureFeature() {}

    static long current(Command command) {
        long value = FeaturesCommand.value(command.sqe());
        return names(value, false)
                ? Features.controller(command).health().threshold(TemperatureThreshold.threshold(value))
                : CommandHandler.refuse(Status.INVALID_FIELD);
    }

    static long initial(Command command) {
        long value = FeaturesCommand.value(command.sqe());
        return names(value, false)
                ? Health.initialThreshold(TemperatureThreshold.threshold(value))
                : CommandHandler.refuse(Status.INVALID_FIELD);
    }

    static void set(Command command, long value) {
        if (!names(value, true)) {
            command.complete(Status.INVALID_FIELD | Status.DNR);
            return;
        }
        Controller controller = Features.controller(command);
        controller.health().threshold(TemperatureThreshold.threshold(value), TemperatureThreshold.kelvin(value));
        command.complete(Status.SUCCESS);
        controller.reportHealth();
    }

    private static boolean names(long value, boolean orAll) {
        int sensor = TemperatureThreshold.sensor(value);
        int threshold = TemperatureThreshold.threshold(value);
        return (sensor == TemperatureThreshold.COMPOSITE || orAll && sensor == TemperatureThreshold.ALL_SENSORS)
                && (threshold == TemperatureThreshold.OVER || threshold == TemperatureThreshold.UNDER);
    }
}
