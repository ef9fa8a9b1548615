package io.nvmf.tools.output;

import io.nvmf.codec.feature.FeatureId;
import io.nvmf.codec.feature.FeaturesCommand;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the bits of a feature's value say (NVMe Base 2.0 s5.27.1), under the specification's names. */
public final class FeatureFields {
    /** Bits of DW0 of Get Features. */
    private record Bits(String name, int first, int count) {
        long of(long value) {
            return value >>> first & (1L << count) - 1;
        }
    }

    private static final List<Bits> CAPABILITIES = List.of(
            flag("Saveable", Integer.numberOfTrailingZeros(FeaturesCommand.CAPABILITY_SAVEABLE)),
            flag("Namespace Specific", Integer.numberOfTrailingZeros(FeaturesCommand.CAPABILITY_NAMESPACE_SPECIFIC)),
            flag("Changeable", Integer.numberOfTrailingZeros(FeaturesCommand.CAPABILITY_CHANGEABLE)));

    private static final Map<Integer, List<Bits>> FIELDS = Map.ofEntries(
            Map.entry(
                    FeatureId.ARBITRATION,
                    List.of(
                            new Bits("Arbitration Burst (AB)", 0, 3),
                            new Bits("Low Priority Weight (LPW)", 8, 8),
                            new Bits("Medium Priority Weight (MPW)", 16, 8),
                            new Bits("High Priority Weight (HPW)", 24, 8))),
            Map.entry(
                    FeatureId.POWER_MANAGEMENT,
                    List.of(new Bits("Power State (PS)", 0, 5), new Bits("Workload Hint (WH)", 5, 3))),
            Map.entry(
                    FeatureId.TEMPERATURE_THRESHOLD,
                    List.of(
                            new Bits("Temperature Threshold in kelvins (TMPTH)", 0, 16),
                            new Bits("Threshold Temperature Select (TMPSEL)", 16, 4),
                            new Bits("Threshold Type Select (THSEL)", 20, 2))),
            Map.entry(
                    FeatureId.ERROR_RECOVERY,
                    List.of(
                            new Bits("Time Limited Error Recovery in 100 ms (TLER)", 0, 16),
                            flag("Deallocated or Unwritten Logical Block Error Enable (DULBE)", 16))),
            Map.entry(FeatureId.VOLATILE_WRITE_CACHE, List.of(flag("Volatile Write Cache Enable (WCE)", 0))),
            Map.entry(
                    FeatureId.NUMBER_OF_QUEUES,
                    List.of(
                            new Bits("I/O Submission Queues Allocated, zero-based (NSQA)", 0, 16),
                            new Bits("I/O Completion Queues Allocated, zero-based (NCQA)", 16, 16))),
            Map.entry(FeatureId.WRITE_ATOMICITY, List.of(flag("Disable Normal (DN)", 0))),
            Map.entry(
                    FeatureId.ASYNC_EVENT_CONFIG,
                    List.of(
                            new Bits("SMART / Health Critical Warnings", 0, 8),
                            flag("Namespace Attribute Notices", 8),
                            flag("Firmware Activation Notices", 9),
                            flag("Telemetry Log Notices", 10),
                            flag("Asymmetric Namespace Access Change Notices", 11),
                            flag("Predictable Latency Event Aggregate Log Change Notices", 12),
                            flag("LBA Status Information Notices", 13),
                            flag("Endurance Group Event Aggregate Log Page Change Notices", 14),
                            flag("Discovery Log Page Change Notification", 31))),
            Map.entry(FeatureId.KEEP_ALIVE_TIMER, List.of(new Bits("Keep Alive Timeout in ms (KATO)", 0, 32))),
            Map.entry(FeatureId.IO_COMMAND_SET_PROFILE, List.of(new Bits("I/O Command Set Combination Index", 0, 9))),
            Map.entry(
                    FeatureId.RESERVATION_NOTIFICATION_MASK,
                    List.of(
                            flag("Mask Registration Preempted Notification (REGPRE)", 1),
                            flag("Mask Reservation Released Notification (RESREL)", 2),
                            flag("Mask Reservation Preempted Notification (RESPRE)", 3))),
            Map.entry(FeatureId.RESERVATION_PERSISTENCE, List.of(flag("Persist Through Power Loss (PTPL)", 0))),
            Map.entry(
                    FeatureId.NAMESPACE_WRITE_PROTECTION,
                    List.of(new Bits("Write Protection State: 0 none, 1 on, 2 until power cycle, 3 for good", 0, 3))));

    private FeatureFields() {}

    private static Bits flag(String name, int bit) {
        return new Bits(name, bit, 1);
    }

    /** In the order of the bits; empty for a feature that has none, or whose meaning is its data. */
    public static Map<String, Long> of(int featureId, int select, long value) {
        List<Bits> fields = select == FeaturesCommand.SELECT_CAPABILITIES
                ? CAPABILITIES
                : FIELDS.getOrDefault(featureId, List.of());
        Map<String, Long> named = new LinkedHashMap<>();
        fields.forEach(bits -> named.put(bits.name(), bits.of(value)));
        return named;
    }
}
