package io.nvmf.tools.config;

import io.nvmf.codec.log.TransportType;
import io.nvmf.target.backend.memory.MemoryBlockDevice;
import io.nvmf.target.config.DiscoveryConfig;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.RdmaConfig;
import io.nvmf.target.config.SubsystemConfig;
import io.nvmf.target.config.TargetConfig;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.tools.CommandException;
import io.nvmf.tools.Sizes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A whole target, before any device or socket is opened.
 *
 * @param warnings sentences about what was asked for and is not done
 */
public record TargetPlan(
        List<ListenerConfig> listeners,
        List<SubsystemPlan> subsystems,
        DiscoveryConfig discovery,
        TargetLimits limits,
        RdmaConfig rdma,
        List<String> warnings) {
    public TargetPlan {
        listeners = List.copyOf(listeners);
        subsystems = List.copyOf(subsystems);
        warnings = List.copyOf(warnings);
    }

    /** Whether any of them is reached by RDMA. */
    public static boolean usesRdma(List<ListenerConfig> listeners) {
        return listeners.stream().anyMatch(listener -> listener.transport() == TransportType.RDMA);
    }

    /** One whose discovery service is as {@link DiscoveryConfig#DEFAULT} says. */
    public TargetPlan(
            List<ListenerConfig> listeners,
            List<SubsystemPlan> subsystems,
            TargetLimits limits,
            RdmaConfig rdma,
            List<String> warnings) {
        this(listeners, subsystems, DiscoveryConfig.DEFAULT, limits, rdma, warnings);
    }

    /**
     * Opens every device, or none; files that were named with a size are created. The target that is given the result
     * closes the devices.
     */
    public TargetConfig open() throws CommandException {
        List<SubsystemConfig> opened = new ArrayList<>();
        try {
            for (SubsystemPlan subsystem : subsystems) {
                opened.add(subsystem.open());
            }
            return new TargetConfig(listeners, opened, discovery, limits, rdma);
        } catch (CommandException | IllegalArgumentException e) {
            for (SubsystemConfig subsystem : opened) {
                subsystem.namespaces().forEach(namespace -> discardAfter(e, namespace::discard));
            }
            throw new CommandException(e.getMessage(), e);
        }
    }

    /**
     * What is to be said when namespaces in memory are larger than the heap lets them become.
     *
     * @param heapBytes the largest heap
     */
    public Optional<String> memoryWarning(long heapBytes) {
        long room = MemoryBlockDevice.mostBytes(heapBytes);
        double wanted = subsystems.stream()
                .flatMap(subsystem -> subsystem.namespaces().stream())
                .mapToDouble(
                        namespace -> namespace.backing() instanceof Backing.InMemory memory ? memory.sizeBytes() : 0)
                .sum();
        if (wanted <= room) {
            return Optional.empty();
        }
        return Optional.of("the namespaces in memory have " + Sizes.format((long) wanted)
                + ", but the Java heap holds at most " + Sizes.format(room)
                + " of their data and writes beyond that fail; set a larger heap, as with NVMF_JAVA_OPTS=-Xmx"
                + Math.max(1, (long) Math.ceil(wanted * 4 / 3 / (1 << 30))) + "g");
    }

    /** Gives all of a namespace back because of a failure. */
    static void discardAfter(Exception failure, Discard discard) {
        try {
            discard.run();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    interface Discard {
        void run() throws IOException;
    }
}
