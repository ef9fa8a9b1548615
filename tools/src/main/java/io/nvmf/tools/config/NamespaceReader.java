package io.nvmf.tools.config;

import static io.nvmf.tools.config.UnusedKey.HARMLESS;

import io.nvmf.codec.identify.Nguid;
import io.nvmf.target.backend.file.FileOptions;
import io.nvmf.target.config.AnaGroups;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.tools.CommandException;
import io.nvmf.tools.Sizes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;

/** Reads the {@code namespaces} of a subsystem in nvmetcli's format, each with the {@code nvmf4j} object it may have. */
final class NamespaceReader {
    private static final Map<String, UnusedKey> UNUSED =
            Map.of("buffered_io", HARMLESS, "revalidate_size", HARMLESS, "p2pmem", HARMLESS, "ana", HARMLESS);
    /** Reservations are always there. */
    private static final Map<String, UnusedKey> RESERVATIONS = Map.of("enable", HARMLESS);

    private static final UUID NO_UUID = new UUID(0, 0);

    private final ConfigFile file;

    NamespaceReader(ConfigFile file) {
        this.file = file;
    }

    /** Reads those that are enabled. */
    List<NamespacePlan> read(ConfigObject subsystem) throws CommandException {
        List<NamespacePlan> plans = new ArrayList<>();
        Set<Long> nsids = new HashSet<>();
        for (ConfigObject namespace : subsystem.objects("namespaces")) {
            namespace.check(Set.of("nsid", "enable", "device", "ana_grpid", "resv", "nvmf4j"), UNUSED);
            namespace.object("resv").check(Set.of(), RESERVATIONS);
            long nsid = namespace.number("nsid", 1, TargetLimits.MAX_NSID);
            if (!nsids.add(nsid)) {
                throw namespace.problem("nsid", "is " + nsid + ", which another namespace of the subsystem has");
            }
            NamespacePlan plan = readOne(namespace, nsid);
            if (namespace.flag("enable", true)) {
                plans.add(plan);
            } else {
                file.warn(namespace.pathOf("enable"), "is 0, namespace " + nsid + " is left out");
            }
        }
        return plans;
    }

    private NamespacePlan readOne(ConfigObject namespace, long nsid) throws CommandException {
        ConfigObject device = namespace.object("device");
        device.check(Set.of("path", "uuid", "nguid"), Map.of());
        ConfigObject own = namespace.object("nvmf4j");
        own.check(Set.of("backend", "size", "block_size", "direct", "read_only", "ptpl"), Map.of());
        int anaGroup =
                namespace.has("ana_grpid") ? (int) namespace.number("ana_grpid", 1, AnaGroups.MAX) : AnaGroups.DEFAULT;
        return new NamespacePlan(nsid, backing(device, own), blockSize(own), uuid(device), nguid(device))
                .inAnaGroup(anaGroup)
                .withPtplFile(own.text("ptpl").map(Path::of));
    }

    private static Backing backing(ConfigObject device, ConfigObject own) throws CommandException {
        Optional<String> sizeText = own.text("size");
        long size = sizeText.isPresent() ? Sizes.parse(own.nameOf("size"), sizeText.get()) : 0;
        String kind = own.text("backend").orElse("file");
        switch (kind) {
            case "file":
                FileOptions options = new FileOptions(size, own.flag("direct", false), own.flag("read_only", false));
                return new Backing.InFile(Path.of(device.requiredText("path")), options);
            case "memory":
                if (size == 0) {
                    throw own.problem("size", "is missing, memory has no size of its own");
                }
                return new Backing.InMemory(size);
            default:
                throw own.problem("backend", "is '" + kind + "', it can be file or memory");
        }
    }

    private static OptionalInt blockSize(ConfigObject own) throws CommandException {
        Optional<String> text = own.text("block_size");
        if (text.isEmpty()) {
            return OptionalInt.empty();
        }
        int size = Sizes.parseInt(own.nameOf("block_size"), text.get());
        if (size != 512 && size != 4096) {
            throw own.problem("block_size", "is " + size + ", it can be 512 or 4096");
        }
        return OptionalInt.of(size);
    }

    /** All zeros stands for none. */
    private static Optional<UUID> uuid(ConfigObject device) throws CommandException {
        Optional<String> text = device.text("uuid").filter(value -> !value.isEmpty());
        if (text.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(Identifiers.uuid(device.nameOf("uuid"), text.get())).filter(uuid -> !uuid.equals(NO_UUID));
    }

    /** All zeros stands for none. */
    private static Optional<Nguid> nguid(ConfigObject device) throws CommandException {
        Optional<String> text = device.text("nguid").filter(value -> !value.isEmpty());
        if (text.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(Identifiers.nguid(device.nameOf("nguid"), text.get()))
                .filter(nguid -> !nguid.equals(Nguid.NONE));
    }
}
