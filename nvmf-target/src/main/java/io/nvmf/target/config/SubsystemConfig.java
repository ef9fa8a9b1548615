package io.nvmf.target.config;

import io.nvmf.codec.Nqn;
import io.nvmf.codec.identify.Nguid;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * One NVM subsystem.
 *
 * @param nqn its name, see {@link Nqn}
 * @param serialNumber up to 20 ASCII characters, the same over restarts
 * @param modelNumber up to 40 ASCII characters
 * @param allowAnyHost whether every host may connect; then {@code allowedHosts} is not looked at
 * @param allowedHosts NQNs of the hosts that may connect
 * @param namespaces at most one for each NSID, UUID and NGUID
 * @param maxNamespaces how many there may be, 1 to {@link TargetLimits#MAX_NSID}
 */
public record SubsystemConfig(
        String nqn,
        String serialNumber,
        String modelNumber,
        boolean allowAnyHost,
        Set<String> allowedHosts,
        List<NamespaceConfig> namespaces,
        int maxNamespaces) {
    private static final UUID NO_UUID = new UUID(0, 0);

    public SubsystemConfig {
        Nqn.problem(nqn).ifPresent(problem -> {
            throw new IllegalArgumentException(problem);
        });
        requireAscii("serial number", serialNumber, 20);
        requireAscii("model number", modelNumber, 40);
        allowedHosts = Set.copyOf(allowedHosts);
        namespaces = List.copyOf(namespaces);
        if (maxNamespaces < 1 || maxNamespaces > TargetLimits.MAX_NSID) {
            throw new IllegalArgumentException(
                    "a subsystem may have 1 to " + TargetLimits.MAX_NSID + " namespaces, not " + maxNamespaces);
        }
        if (namespaces.size() > maxNamespaces) {
            throw new IllegalArgumentException(
                    "subsystem " + nqn + " may have " + maxNamespaces + " namespaces, not " + namespaces.size());
        }
        requireDistinct(nqn, namespaces);
    }

    /**
     * Whether hosts can tell namespaces apart. Identifiers of zeros are none.
     *
     * @throws IllegalArgumentException when they cannot
     */
    public static void requireDistinct(String nqn, List<NamespaceConfig> namespaces) {
        Set<Object> taken = new HashSet<>(List.of(NO_UUID, Nguid.NONE));
        for (NamespaceConfig namespace : namespaces) {
            String where = "subsystem " + nqn + " has two namespaces ";
            if (!taken.add(namespace.nsid())) {
                throw new IllegalArgumentException(where + namespace.nsid());
            }
            if (!taken.add(namespace.uuid()) && !namespace.uuid().equals(NO_UUID)) {
                throw new IllegalArgumentException(where + "with the UUID " + namespace.uuid() + ": give namespace "
                        + namespace.nsid() + " another");
            }
            if (!taken.add(namespace.nguid()) && !namespace.nguid().equals(Nguid.NONE)) {
                throw new IllegalArgumentException(where + "with the NGUID " + namespace.nguid() + ": give namespace "
                        + namespace.nsid() + " another");
            }
        }
    }

    /** One with as many namespaces as there are NSIDs. */
    public SubsystemConfig(
            String nqn,
            String serialNumber,
            String modelNumber,
            boolean allowAnyHost,
            Set<String> allowedHosts,
            List<NamespaceConfig> namespaces) {
        this(nqn, serialNumber, modelNumber, allowAnyHost, allowedHosts, namespaces, (int) TargetLimits.MAX_NSID);
    }

    private static void requireAscii(String what, String text, int maxBytes) {
        boolean printable = text.chars().allMatch(c -> c >= 0x20 && c < 0x7F);
        if (text.isBlank() || text.length() > maxBytes || !printable) {
            throw new IllegalArgumentException(
                    what + " '" + text + "' is not 1 to " + maxBytes + " printable ASCII characters");
        }
    }
}
