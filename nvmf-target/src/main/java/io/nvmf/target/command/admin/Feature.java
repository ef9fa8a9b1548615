package io.nvmf.target.command.admin;

import io.nvmf.codec.Status;
import io.nvmf.codec.feature.AsyncEventConfig;
import io.nvmf.codec.feature.FeatureId;
import io.nvmf.codec.feature.NumberOfQueues;
import io.nvmf.target.command.Command;
import io.nvmf.target.controller.Controller;
import java.util.Map;

/** The features there are (NVMe Base 2.0 s5.27): what Get returns in DW0, and what Set does with CDW11. */
record Feature(Getter getter, Setter setter) {
    interface Getter {
        long get(Controller controller);
    }

    interface Setter {
        /** Completes the command. */
        void set(Command command, Controller controller, long value);
    }

    private static final Feature ASYNC_EVENTS =
            new Feature(controller -> controller.asyncEvents().config(), Feature::setAsyncEvents);
    private static final Feature KEEP_ALIVE =
            new Feature(controller -> controller.keepAlive().timeoutMs(), Feature::setKeepAlive);

    private static final Map<Integer, Feature> IO = Map.of(
            FeatureId.ASYNC_EVENT_CONFIG,
            ASYNC_EVENTS,
            FeatureId.KEEP_ALIVE_TIMER,
            KEEP_ALIVE,
            FeatureId.VOLATILE_WRITE_CACHE,
            new Feature(controller -> controller.isWriteCacheEnabled() ? 1 : 0, Feature::setWriteCache),
            FeatureId.NUMBER_OF_QUEUES,
            new Feature(
                    controller -> NumberOfQueues.encode(controller.allocatedIoQueues()), Feature::setNumberOfQueues));

    private static final Map<Integer, Feature> DISCOVERY =
            Map.of(FeatureId.ASYNC_EVENT_CONFIG, ASYNC_EVENTS, FeatureId.KEEP_ALIVE_TIMER, KEEP_ALIVE);

    /** The feature with this id of this kind of controller, or null. */
    static Feature of(Controller controller, int featureId) {
        return (controller.subsystem().isDiscovery() ? DISCOVERY : IO).get(featureId);
    }

    private static void setAsyncEvents(Command command, Controller controller, long value) {
        long known = controller.subsystem().isDiscovery()
                ? AsyncEventConfig.DISCOVERY_LOG_CHANGE
                : AsyncEventConfig.NAMESPACE_ATTRIBUTE | AsyncEventConfig.SMART_CRITICAL_WARNINGS;
        if ((value & ~known) != 0) {
            command.complete(Status.INVALID_FIELD | Status.DNR);
            return;
        }
        controller.asyncEvents().config(value);
        command.complete(Status.SUCCESS);
    }

    private static void setKeepAlive(Command command, Controller controller, long value) {
        controller.keepAlive().start(value, command.queue().nanoTime());
        command.complete(Status.SUCCESS);
    }

    private static void setWriteCache(Command command, Controller controller, long value) {
        controller.writeCacheEnabled((value & 1) != 0);
        command.complete(Status.SUCCESS);
    }

    private static void setNumberOfQueues(Command command, Controller controller, long value) {
        int wanted = Math.min(NumberOfQueues.submissionQueues(value), NumberOfQueues.completionQueues(value));
        if (!NumberOfQueues.isValid(value)) {
            command.complete(Status.INVALID_FIELD | Status.DNR);
        } else if (!controller.allocateIoQueues(wanted)) {
            command.complete(Status.COMMAND_SEQUENCE_ERROR | Status.DNR);
        } else {
            command.complete(Status.SUCCESS, NumberOfQueues.encode(controller.allocatedIoQueues()));
        }
    }
}
