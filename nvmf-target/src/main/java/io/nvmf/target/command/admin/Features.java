package io.nvmf.target.command.admin;

import static java.util.Map.entry;

import io.netty.buffer.ByteBuf;
import io.nvmf.codec.Bytes;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.feature.AsyncEventConfig;
import io.nvmf.codec.feature.FeatureId;
import io.nvmf.codec.feature.FeaturesCommand;
import io.nvmf.codec.feature.HostBehavior;
import io.nvmf.codec.feature.HostIdentifier;
import io.nvmf.codec.feature.NumberOfQueues;
import io.nvmf.codec.feature.Timestamp;
import io.nvmf.target.command.Command;
import io.nvmf.target.command.CommandHandler;
import io.nvmf.target.controller.Controller;
import io.nvmf.target.namespace.Namespace;
import java.nio.ByteBuffer;
import java.util.Map;

/** The features there are, by FID (NVMe Base 2.0 s5.27.1). */
final class Features {
    private static final int CHANGEABLE = FeaturesCommand.CAPABILITY_CHANGEABLE;
    private static final int NAMESPACE_SPECIFIC = FeaturesCommand.CAPABILITY_NAMESPACE_SPECIFIC;
    private static final Feature.Length NO_DATA = command -> CommandHandler.NO_DATA;
    private static final Feature.Getter ZERO = command -> 0;

    private static final long POWER_STATE = 0x1F;
    private static final long DEALLOCATED_ERROR = 1 << 16;
    private static final int PROFILE = 0x1FF;

    private static final Feature ASYNC_EVENTS =
            plain(CHANGEABLE, command -> controller(command).asyncEvents().config(), ZERO, Features::setAsyncEvents);
    private static final Feature KEEP_ALIVE =
            plain(CHANGEABLE, command -> controller(command).keepAlive().timeoutMs(), ZERO, Features::setKeepAlive);

    private static final Map<Integer, Feature> IO = Map.ofEntries(
            entry(FeatureId.ARBITRATION, kept(FeatureId.ARBITRATION)),
            entry(
                    FeatureId.POWER_MANAGEMENT,
                    plain(CHANGEABLE, command -> kept(command, 0), ZERO, Features::setPowerState)),
            entry(
                    FeatureId.TEMPERATURE_THRESHOLD,
                    plain(
                            CHANGEABLE,
                            TemperatureFeature::current,
                            TemperatureFeature::initial,
                            TemperatureFeature::set)),
            entry(
                    FeatureId.ERROR_RECOVERY,
                    plain(
                            CHANGEABLE | NAMESPACE_SPECIFIC,
                            command -> kept(command, command.sqe().nsid()),
                            ZERO,
                            Features::setErrorRecovery)),
            entry(
                    FeatureId.VOLATILE_WRITE_CACHE,
                    plain(
                            CHANGEABLE,
                            command -> controller(command).isWriteCacheEnabled() ? 1 : 0,
                            command -> 1,
                            Features::setWriteCache)),
            entry(
                    FeatureId.NUMBER_OF_QUEUES,
                    plain(
                            CHANGEABLE,
                            command -> NumberOfQueues.encode(controller(command).allocatedIoQueues()),
                            command -> NumberOfQueues.encode(
                                    controller(command).limits().maxIoQueues()),
                            Features::setNumberOfQueues)),
            entry(FeatureId.WRITE_ATOMICITY, kept(FeatureId.WRITE_ATOMICITY)),
            entry(FeatureId.ASYNC_EVENT_CONFIG, ASYNC_EVENTS),
            entry(
                    FeatureId.TIMESTAMP,
                    new Feature(
                            CHANGEABLE,
                            command -> Timestamp.BYTES,
                            Features::timestamp,
                            Features::zeros,
                            Features::setTimestamp)),
            entry(FeatureId.KEEP_ALIVE_TIMER, KEEP_ALIVE),
            entry(
                    FeatureId.HOST_BEHAVIOR,
                    new Feature(
                            CHANGEABLE,
                            command -> HostBehavior.BYTES,
                            Features::hostBehavior,
                            Features::zeros,
                            Features::setHostBehavior)),
            entry(FeatureId.IO_COMMAND_SET_PROFILE, plain(CHANGEABLE, ZERO, ZERO, Features::setCommandSetProfile)),
            entry(
                    FeatureId.HOST_IDENTIFIER,
                    new Feature(
                            0,
                            Features::hostIdentifierLength,
                            Features::hostIdentifier,
                            Features::hostIdentifier,
                            null)),
            entry(
                    FeatureId.RESERVATION_NOTIFICATION_MASK,
                    plain(
                            CHANGEABLE | NAMESPACE_SPECIFIC,
                            ReservationFeatures::mask,
                            ZERO,
                            ReservationFeatures::setMask)),
            entry(
                    FeatureId.RESERVATION_PERSISTENCE,
                    plain(
                            CHANGEABLE | NAMESPACE_SPECIFIC,
                            ReservationFeatures::persistence,
                            ZERO,
                            ReservationFeatures::setPersistence)),
            entry(
                    FeatureId.NAMESPACE_WRITE_PROTECTION,
                    plain(
                            CHANGEABLE | NAMESPACE_SPECIFIC,
                            WriteProtectFeature::current,
                            ZERO,
                            WriteProtectFeature::set)));

    private static final Map<Integer, Feature> DISCOVERY = Map.of(
            FeatureId.ASYNC_EVENT_CONFIG, ASYNC_EVENTS,
            FeatureId.KEEP_ALIVE_TIMER, KEEP_ALIVE);

    private Features() {}

    /** Those of this kind of controller. */
    static Map<Integer, Feature> of(Controller controller) {
        return controller.subsystem().isDiscovery() ? DISCOVERY : IO;
    }

    /** The one a command names, or null. */
    static Feature of(Command command) {
        return of(controller(command)).get(FeaturesCommand.featureId(command.sqe()));
    }

    /** Whether a feature of a namespace can be had now: NO_DATA, or a refusal. */
    static long checkNamespace(Command command) {
        Namespace namespace = namespace(command);
        if (namespace == null) {
            return CommandHandler.refuse(Status.INVALID_NAMESPACE_OR_FORMAT);
        }
        int ana = controller(command).anaState(namespace).refusal();
        return ana == Status.SUCCESS ? CommandHandler.NO_DATA : CommandHandler.refuseAs(ana);
    }

    /** Whether a Set may be for all namespaces at once. */
    static boolean mayBeForAllNamespaces(Command command) {
        int featureId = FeaturesCommand.featureId(command.sqe());
        return featureId == FeatureId.RESERVATION_NOTIFICATION_MASK || featureId == FeatureId.RESERVATION_PERSISTENCE;
    }

    /** The namespace a command names, or null. */
    static Namespace namespace(Command command) {
        return controller(command).subsystem().namespaces().get(command.sqe().nsid());
    }

    /** A feature that is a number, which is in DW0 of Get and in CDW11 of Set. */
    private static Feature plain(
            int capabilities, Feature.Getter current, Feature.Getter initial, Feature.Setter setter) {
        return new Feature(capabilities, NO_DATA, current, initial, setter);
    }

    /** A number that is kept and changes nothing: the specification allows any, and it is advice. */
    private static Feature kept(int featureId) {
        return plain(CHANGEABLE, command -> kept(command, 0), ZERO, (command, value) -> keep(command, 0, value));
    }

    private static long kept(Command command, long selector) {
        return controller(command).features().get(FeaturesCommand.featureId(command.sqe()), selector, 0);
    }

    private static void keep(Command command, long selector, long value) {
        controller(command).features().set(FeaturesCommand.featureId(command.sqe()), selector, value);
        command.complete(Status.SUCCESS);
    }

    private static void refuse(Command command, int status) {
        command.complete(status | Status.DNR);
    }

    static Controller controller(Command command) {
        return command.queue().controller();
    }

    private static void setPowerState(Command command, long value) {
        if ((value & POWER_STATE) != 0) {
            refuse(command, Status.INVALID_FIELD);
        } else {
            keep(command, 0, value);
        }
    }

    private static void setErrorRecovery(Command command, long value) {
        if ((value & DEALLOCATED_ERROR) != 0) {
            refuse(command, Status.INVALID_FIELD);
            return;
        }
        keep(command, command.sqe().nsid(), value);
    }

    private static void setAsyncEvents(Command command, long value) {
        Controller controller = controller(command);
        long known = controller.subsystem().isDiscovery()
                ? AsyncEventConfig.DISCOVERY_LOG_CHANGE
                : AsyncEventConfig.NAMESPACE_ATTRIBUTE
                        | AsyncEventConfig.ANA_CHANGE
                        | AsyncEventConfig.SMART_CRITICAL_WARNINGS;
        if ((value & ~known) != 0) {
            refuse(command, Status.INVALID_FIELD);
            return;
        }
        controller.asyncEvents().config(value);
        command.complete(Status.SUCCESS);
        controller.reportHealth();
    }

    private static void setKeepAlive(Command command, long value) {
        controller(command).keepAliveTimeout(value, command.queue().nanoTime());
        command.complete(Status.SUCCESS);
    }

    private static void setWriteCache(Command command, long value) {
        controller(command).writeCacheEnabled((value & 1) != 0);
        command.complete(Status.SUCCESS);
    }

    private static void setNumberOfQueues(Command command, long value) {
        Controller controller = controller(command);
        int wanted = Math.min(NumberOfQueues.submissionQueues(value), NumberOfQueues.completionQueues(value));
        if (!NumberOfQueues.isValid(value)) {
            refuse(command, Status.INVALID_FIELD);
        } else if (!controller.allocateIoQueues(wanted)) {
            refuse(command, Status.COMMAND_SEQUENCE_ERROR);
        } else {
            command.complete(Status.SUCCESS, NumberOfQueues.encode(controller.allocatedIoQueues()));
        }
    }

    /** There is one combination of command sets, the first. */
    private static void setCommandSetProfile(Command command, long value) {
        if ((value & PROFILE) != 0) {
            refuse(command, Status.IO_COMMAND_SET_COMBINATION_REJECTED);
        } else {
            command.complete(Status.SUCCESS);
        }
    }

    // ---- features with data

    private static long zeros(Command command) {
        command.data().setZero(0, command.dataLength());
        return 0;
    }

    private static long timestamp(Command command) {
        ByteBuffer bytes = Bytes.allocate(Timestamp.BYTES);
        controller(command).features().timestamp(command.queue().nanoTime()).encode(bytes, 0);
        command.data().setBytes(0, bytes);
        return 0;
    }

    private static void setTimestamp(Command command, long value) {
        ByteBuffer bytes = Bytes.allocate(Timestamp.BYTES);
        command.data().getBytes(0, bytes.array());
        long milliseconds = Timestamp.decode(bytes, 0).milliseconds();
        controller(command).features().timestamp(milliseconds, command.queue().nanoTime());
        command.complete(Status.SUCCESS);
    }

    private static long hostBehavior(Command command) {
        command.data().setBytes(0, controller(command).features().hostBehavior());
        return 0;
    }

    private static void setHostBehavior(Command command, long value) {
        byte[] bytes = new byte[HostBehavior.BYTES];
        command.data().getBytes(0, bytes);
        if (!HostBehavior.isValid(bytes)) {
            refuse(command, Status.INVALID_FIELD);
            return;
        }
        controller(command).features().hostBehavior(bytes);
        command.complete(Status.SUCCESS);
    }

    private static long hostIdentifierLength(Command command) {
        boolean extended = (FeaturesCommand.value(command.sqe()) & HostIdentifier.EXTENDED) != 0;
        return extended ? HostIdentifier.EXTENDED_BYTES : CommandHandler.refuse(Status.HOST_ID_INCONSISTENT_FORMAT);
    }

    private static long hostIdentifier(Command command) {
        ByteBuffer bytes = Bytes.allocate(HostIdentifier.EXTENDED_BYTES);
        HostIdentifier.encode(bytes, 0, controller(command).host().hostId());
        ByteBuf data = command.data();
        data.setBytes(0, bytes);
        return 0;
    }

    /** Whether an NSID names what a feature of the whole controller has: none, or all. */
    static boolean isWholeController(Sqe sqe) {
        return sqe.nsid() == 0 || sqe.nsid() == Sqe.NSID_ALL;
    }
}
