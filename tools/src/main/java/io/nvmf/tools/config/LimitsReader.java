package io.nvmf.tools.config;

import io.nvmf.codec.log.TransportType;
import io.nvmf.target.config.RdmaConfig;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.tools.CommandException;
import io.nvmf.tools.Sizes;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads {@code nvmf4j.limits}; where it is silent, the ports' own words count, then the defaults. */
final class LimitsReader {
    private static final String RDMA_IN_CAPSULE = "rdma_in_capsule";
    private static final String RDMA_RECEIVE_MEMORY = "rdma_receive_memory";
    private static final String POLL = "poll";
    private static final List<String> RDMA_KEYS = List.of(RDMA_IN_CAPSULE, RDMA_RECEIVE_MEMORY);
    private static final Set<String> KEYS = Set.of(
            "queue_depth",
            "io_queues",
            "in_capsule_data_size",
            "max_io_size",
            "buffer_memory",
            "threads",
            RDMA_IN_CAPSULE,
            RDMA_RECEIVE_MEMORY,
            POLL);

    private LimitsReader() {}

    static TargetLimits read(ConfigObject limits, PortReader ports) throws CommandException {
        limits.check(KEYS, Map.of());
        TargetLimits defaults = TargetLimits.DEFAULT;
        try {
            return new TargetLimits(
                    number(limits, "queue_depth", (int) ports.queueSize().orElse(defaults.maxQueueDepth())),
                    number(limits, "io_queues", defaults.maxIoQueues()),
                    (int) size(
                            limits,
                            "in_capsule_data_size",
                            ports.inlineDataSize(TransportType.TCP).orElse(defaults.inCapsuleDataBytes())),
                    (int) size(limits, "max_io_size", defaults.maxTransferBytes()),
                    size(limits, "buffer_memory", defaults.bufferMemoryBytes()),
                    number(limits, "threads", defaults.eventLoops()),
                    limits.flag(POLL, defaults.poll()));
        } catch (IllegalArgumentException e) {
            throw problem(limits, e);
        }
    }

    /** What holds for NVMe/RDMA alone. */
    static RdmaConfig readRdma(ConfigObject limits, PortReader ports) throws CommandException {
        RdmaConfig defaults = RdmaConfig.DEFAULT;
        try {
            return new RdmaConfig(
                    (int) size(
                            limits,
                            RDMA_IN_CAPSULE,
                            ports.inlineDataSize(TransportType.RDMA).orElse(defaults.inCapsuleDataBytes())),
                    size(limits, RDMA_RECEIVE_MEMORY, defaults.receiveMemoryBytes()));
        } catch (IllegalArgumentException e) {
            throw problem(limits, e);
        }
    }

    private static CommandException problem(ConfigObject limits, IllegalArgumentException e) {
        return new CommandException(limits.nameOf("").replaceFirst("\\.$", "") + ": " + e.getMessage(), e);
    }

    /** Says that what holds for RDMA alone is without effect, when no port is reached by RDMA. */
    static void warnWithoutRdma(ConfigObject limits, ConfigFile file) {
        RDMA_KEYS.stream()
                .filter(limits::has)
                .forEach(key -> file.warn(limits.pathOf(key), "is without effect, for no port has the trtype rdma"));
    }

    private static int number(ConfigObject limits, String key, int otherwise) throws CommandException {
        return limits.has(key) ? (int) limits.number(key, 0, Integer.MAX_VALUE) : otherwise;
    }

    private static long size(ConfigObject limits, String key, long otherwise) throws CommandException {
        Optional<String> text = limits.text(key);
        if (text.isEmpty()) {
            return otherwise;
        }
        boolean isMemory = key.equals("buffer_memory") || key.equals(RDMA_RECEIVE_MEMORY);
        return isMemory ? Sizes.parse(limits.nameOf(key), text.get()) : Sizes.parseInt(limits.nameOf(key), text.get());
    }
}
