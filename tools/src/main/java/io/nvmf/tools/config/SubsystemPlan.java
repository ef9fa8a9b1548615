package io.nvmf.tools.config;

import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.config.SubsystemConfig;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.tools.CommandException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;

/** One subsystem, before its devices are opened. What is empty is derived. */
public record SubsystemPlan(
        String nqn,
        Optional<String> serialNumber,
        Optional<String> modelNumber,
        boolean allowAnyHost,
        Set<String> allowedHosts,
        List<NamespacePlan> namespaces,
        OptionalInt maxNamespaces) {
    static final String DEFAULT_MODEL = "nvmf4j";
    private static final int DERIVED_SERIAL_DIGITS = 16;

    /** Checks everything that can be checked without a device. */
    public SubsystemPlan {
        toConfig(nqn, serialNumber, modelNumber, allowAnyHost, allowedHosts, List.of(), maxNamespaces);
        namespaces = List.copyOf(namespaces);
    }

    /** One with as many namespaces as there may be. */
    public SubsystemPlan(
            String nqn,
            Optional<String> serialNumber,
            Optional<String> modelNumber,
            boolean allowAnyHost,
            Set<String> allowedHosts,
            List<NamespacePlan> namespaces) {
        this(nqn, serialNumber, modelNumber, allowAnyHost, allowedHosts, namespaces, OptionalInt.empty());
    }

    /** The same with room for so many namespaces. */
    public SubsystemPlan withMaxNamespaces(OptionalInt max) {
        return new SubsystemPlan(nqn, serialNumber, modelNumber, allowAnyHost, allowedHosts, namespaces, max);
    }

    /** Opens its devices, all or none. */
    public SubsystemConfig open() throws CommandException {
        List<NamespaceConfig> opened = new ArrayList<>();
        try {
            for (NamespacePlan namespace : namespaces) {
                opened.add(namespace.open(nqn));
            }
            return toConfig(nqn, serialNumber, modelNumber, allowAnyHost, allowedHosts, opened, maxNamespaces);
        } catch (CommandException | IllegalArgumentException e) {
            opened.forEach(namespace -> TargetPlan.discardAfter(e, namespace::discard));
            throw e;
        }
    }

    private static SubsystemConfig toConfig(
            String nqn,
            Optional<String> serialNumber,
            Optional<String> modelNumber,
            boolean allowAnyHost,
            Set<String> allowedHosts,
            List<NamespaceConfig> namespaces,
            OptionalInt maxNamespaces) {
        return new SubsystemConfig(
                nqn,
                serialNumber.orElseGet(() -> derivedSerial(nqn)),
                modelNumber.orElse(DEFAULT_MODEL),
                allowAnyHost,
                allowedHosts,
                namespaces,
                maxNamespaces.orElse((int) TargetLimits.MAX_NSID));
    }

    /** The same for the same subsystem, over restarts and on every gateway that serves it. */
    static String derivedSerial(String nqn) {
        String digits = UUID.nameUUIDFromBytes(("nvmf4j\0" + nqn).getBytes(StandardCharsets.UTF_8))
                .toString()
                .replace("-", "");
        return digits.substring(0, DERIVED_SERIAL_DIGITS);
    }
}
