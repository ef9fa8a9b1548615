package io.nvmf.tools.config;

import io.nvmf.target.config.TargetLimits;
import io.nvmf.tools.CommandException;
import io.nvmf.tools.Sizes;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Reads {@code nvmf4j.limits}; where it is silent, the ports' own words count, then the defaults. */
final class LimitsReader {
    private static final int MAX_IN_CAPSULE_BYTES = 128 << 10;
    private static final int IN_CAPSULE_UNIT_BYTES = 16;

    private LimitsReader() {}

    static TargetLimits read(ConfigObject limits, PortReader ports) throws CommandException {
        limits.check(
                Set.of("queue_depth", "io_queues", "in_capsule_data_size", "max_io_size", "buffer_memory", "threads"),
                Map.of());
        TargetLimits defaults = TargetLimits.DEFAULT;
        try {
            return new TargetLimits(
                    number(limits, "queue_depth", (int) ports.queueSize().orElse(defaults.maxQueueDepth())),
                    number(limits, "io_queues", defaults.maxIoQueues()),
                    (int) size(limits, "in_capsule_data_size", inCapsuleBytes(ports, defaults)),
                    (int) size(limits, "max_io_size", defaults.maxTransferBytes()),
                    size(limits, "buffer_memory", defaults.bufferMemoryBytes()),
                    number(limits, "threads", defaults.eventLoops()));
        } catch (IllegalArgumentException e) {
            throw new CommandException(limits.nameOf("").replaceFirst("\\.$", "") + ": " + e.getMessage(), e);
        }
    }

    /** The Linux target takes any number of bytes; a capsule holds whole units of 16, up to 128 KiB. */
    private static long inCapsuleBytes(PortReader ports, TargetLimits defaults) {
        OptionalLong inline = ports.inlineDataSize();
        if (inline.isEmpty()) {
            return defaults.inCapsuleDataBytes();
        }
        long bounded = Math.min(inline.getAsLong(), MAX_IN_CAPSULE_BYTES);
        return bounded - bounded % IN_CAPSULE_UNIT_BYTES;
    }

    private static int number(ConfigObject limits, String key, int otherwise) throws CommandException {
        return limits.has(key) ? (int) limits.number(key, 0, Integer.MAX_VALUE) : otherwise;
    }

    private static long size(ConfigObject limits, String key, long otherwise) throws CommandException {
        Optional<String> text = limits.text(key);
        if (text.isEmpty()) {
            return otherwise;
        }
        boolean isMemory = key.equals("buffer_memory");
        return isMemory ? Sizes.parse(limits.nameOf(key), text.get()) : Sizes.parseInt(limits.nameOf(key), text.get());
    }
}
