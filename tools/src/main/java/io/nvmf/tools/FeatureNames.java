package io.nvmf.tools;

import io.nvmf.codec.feature.FeatureId;
import java.util.Map;

/** The specification's names of features. */
final class FeatureNames {
    private static final Map<Integer, String> NAMES = Map.ofEntries(
            Map.entry(FeatureId.ARBITRATION, "Arbitration"),
            Map.entry(FeatureId.POWER_MANAGEMENT, "Power Management"),
            Map.entry(FeatureId.TEMPERATURE_THRESHOLD, "Temperature Threshold"),
            Map.entry(FeatureId.ERROR_RECOVERY, "Error Recovery"),
            Map.entry(FeatureId.VOLATILE_WRITE_CACHE, "Volatile Write Cache"),
            Map.entry(FeatureId.NUMBER_OF_QUEUES, "Number of Queues"),
            Map.entry(FeatureId.INTERRUPT_COALESCING, "Interrupt Coalescing"),
            Map.entry(FeatureId.INTERRUPT_VECTOR, "Interrupt Vector Configuration"),
            Map.entry(FeatureId.WRITE_ATOMICITY, "Write Atomicity Normal"),
            Map.entry(FeatureId.ASYNC_EVENT_CONFIG, "Asynchronous Event Configuration"),
            Map.entry(FeatureId.TIMESTAMP, "Timestamp"),
            Map.entry(FeatureId.KEEP_ALIVE_TIMER, "Keep Alive Timer"),
            Map.entry(FeatureId.HOST_BEHAVIOR, "Host Behavior Support"),
            Map.entry(FeatureId.IO_COMMAND_SET_PROFILE, "I/O Command Set Profile"),
            Map.entry(FeatureId.KEY_VALUE_CONFIG, "Key Value Configuration"),
            Map.entry(FeatureId.SOFTWARE_PROGRESS, "Software Progress Marker"),
            Map.entry(FeatureId.HOST_IDENTIFIER, "Host Identifier"),
            Map.entry(FeatureId.RESERVATION_NOTIFICATION_MASK, "Reservation Notification Mask"),
            Map.entry(FeatureId.RESERVATION_PERSISTENCE, "Reservation Persistence"),
            Map.entry(FeatureId.NAMESPACE_WRITE_PROTECTION, "Namespace Write Protection Config"));

    private FeatureNames() {}

    static String of(int featureId) {
        return NAMES.getOrDefault(featureId, "Unknown");
    }

    /** Bytes of data that come with a feature; 0 for one that is a number. */
    static int dataBytes(int featureId) {
        return switch (featureId) {
            case FeatureId.TIMESTAMP -> 8;
            case FeatureId.HOST_BEHAVIOR -> 512;
            case FeatureId.HOST_IDENTIFIER -> 16;
            default -> 0;
        };
    }
}
