package io.nvmf.target.command.admin;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Opcode;
import io.nvmf.codec.log.AnaLog;
import io.nvmf.codec.log.ChangedNamespaceList;
import io.nvmf.codec.log.CommandsSupportedAndEffects;
import io.nvmf.codec.log.FeaturesSupportedAndEffects;
import io.nvmf.codec.log.FirmwareSlotLog;
import io.nvmf.codec.log.GetLogPageCommand;
import io.nvmf.codec.log.SmartLog;
import io.nvmf.codec.log.SmartLog.Field;
import io.nvmf.codec.log.SupportedLogPages;
import io.nvmf.target.command.Command;
import io.nvmf.target.command.CommandQueue;
import io.nvmf.target.config.AnaGroups;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.target.controller.Controller;
import io.nvmf.target.controller.Health;
import io.nvmf.target.discovery.DiscoveryService;
import io.nvmf.target.namespace.IoCounts;
import io.nvmf.target.namespace.Namespace;
import io.nvmf.target.namespace.NamespaceTable;
import io.nvmf.target.subsystem.AnaStates;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** Makes log pages, each whole. */
public final class LogPages {
    /** SMART counts data in thousands of 512-byte units, rounded up. */
    private static final long DATA_UNIT_BYTES = 512_000;

    private static final int ALL_SPARE_PERCENT = 100;
    private static final int SPARE_THRESHOLD_PERCENT = 10;

    private final DiscoveryService discovery;
    private final long startedNanos;

    /** @param startedNanos when the target started, for the power-on hours */
    public LogPages(DiscoveryService discovery, long startedNanos) {
        this.discovery = discovery;
        this.startedNanos = startedNanos;
    }

    ByteBuffer supported(Iterable<Integer> logPageIds) {
        ByteBuffer page = Bytes.allocate(SupportedLogPages.BYTES);
        int[] ids = StreamSupport.stream(logPageIds.spliterator(), false)
                .mapToInt(Integer::intValue)
                .sorted()
                .toArray();
        SupportedLogPages.encode(page, 0, ids);
        return page;
    }

    ByteBuffer discovery(Command command) {
        CommandQueue queue = command.queue();
        return discovery.log(queue.controller().host().hostNqn(), queue.listener(), queue.localAddress());
    }

    /**
     * What hosts have read and written is told of the whole subsystem, whoever it was; how many errors, of this controller,
     * whose log has them.
     */
    ByteBuffer smart(CommandQueue queue) {
        Controller controller = queue.controller();
        IoCounts counts = controller.subsystem().ioCounts();
        SmartLog log = SmartLog.allocate();
        log.set(
                Field.CRITICAL_WARNING,
                controller
                        .health()
                        .criticalWarnings(controller.subsystem().namespaces().all()));
        log.set(Field.COMPOSITE_TEMPERATURE, Health.KELVIN);
        log.set(Field.AVAILABLE_SPARE, ALL_SPARE_PERCENT);
        log.set(Field.AVAILABLE_SPARE_THRESHOLD, SPARE_THRESHOLD_PERCENT);
        log.set(Field.DATA_UNITS_READ, dataUnits(counts.readBytes()));
        log.set(Field.DATA_UNITS_WRITTEN, dataUnits(counts.writtenBytes()));
        log.set(Field.HOST_READ_COMMANDS, counts.readCommands());
        log.set(Field.HOST_WRITE_COMMANDS, counts.writeCommands());
        log.set(Field.POWER_CYCLES, 1);
        log.set(Field.POWER_ON_HOURS, TimeUnit.NANOSECONDS.toHours(queue.nanoTime() - startedNanos));
        log.set(Field.MEDIA_ERRORS, counts.mediaErrors());
        log.set(Field.ERROR_LOG_ENTRIES, controller.errorLog().count());
        ByteBuffer page = Bytes.allocate(SmartLog.BYTES);
        log.encode(page, 0);
        return page;
    }

    private static long dataUnits(long bytes) {
        return (bytes + DATA_UNIT_BYTES - 1) / DATA_UNIT_BYTES;
    }

    static ByteBuffer firmwareSlots() {
        ByteBuffer page = Bytes.allocate(FirmwareSlotLog.BYTES);
        new FirmwareSlotLog(1, 0, List.of(FirmwareRevision.TEXT)).encode(page, 0);
        return page;
    }

    static ByteBuffer changedNamespaces(long[] nsids) {
        ByteBuffer page = Bytes.allocate(ChangedNamespaceList.BYTES);
        ChangedNamespaceList.encode(page, 0, nsids);
        return page;
    }

    static ByteBuffer featureEffects(Controller controller) {
        ByteBuffer page = Bytes.allocate(FeaturesSupportedAndEffects.BYTES);
        Features.of(controller)
                .forEach((id, feature) -> FeaturesSupportedAndEffects.entry(
                        page, 0, id, FeaturesSupportedAndEffects.SUPPORTED | scope(feature)));
        return page;
    }

    private static int scope(Feature feature) {
        return feature.isNamespaceSpecific()
                ? FeaturesSupportedAndEffects.SCOPE_NAMESPACE
                : FeaturesSupportedAndEffects.SCOPE_CONTROLLER;
    }

    /**
     * Groups without namespaces are left out. The page is as long as it can ever get, which is what hosts ask for: nvme-cli
     * asks for it piece by piece, and is not to be refused where nothing follows.
     */
    static ByteBuffer ana(Command command) {
        Controller controller = command.queue().controller();
        boolean groupsOnly = (GetLogPageCommand.lsp(command.sqe()) & AnaLog.LSP_GROUPS_ONLY) != 0;
        AnaStates states = controller.port().ana();
        NamespaceTable namespaces = controller.subsystem().namespaces();
        Map<Integer, List<Namespace>> byGroup = namespaces.all().stream()
                .collect(Collectors.groupingBy(Namespace::anaGroup, TreeMap::new, Collectors.toList()));
        List<AnaLog.Group> groups = new ArrayList<>();
        byGroup.forEach((group, members) -> groups.add(new AnaLog.Group(
                group,
                states.of(group).code(),
                states.changes(group) + namespaces.groupChanges(group),
                groupsOnly
                        ? new long[0]
                        : members.stream().mapToLong(Namespace::nsid).toArray())));
        AnaLog log = new AnaLog(states.changes() + namespaces.groupChanges(), groups);
        ByteBuffer page = Bytes.allocate(AnaLog.lengthBytes(AnaGroups.MAX, (int) TargetLimits.MAX_NSID));
        log.encode(page, 0);
        return page;
    }

    static ByteBuffer commandEffects() {
        CommandsSupportedAndEffects effects = CommandsSupportedAndEffects.allocate();
        int[] admin = {
            Opcode.Admin.GET_LOG_PAGE,
            Opcode.Admin.IDENTIFY,
            Opcode.Admin.ABORT,
            Opcode.Admin.SET_FEATURES,
            Opcode.Admin.GET_FEATURES,
            Opcode.Admin.ASYNC_EVENT_REQUEST,
            Opcode.Admin.KEEP_ALIVE,
            Opcode.FABRICS
        };
        for (int opcode : admin) {
            effects.admin(opcode, CommandsSupportedAndEffects.SUPPORTED);
        }
        int[] preserving = {
            Opcode.Nvm.READ,
            Opcode.Nvm.FLUSH,
            Opcode.Nvm.COMPARE,
            Opcode.Nvm.VERIFY,
            Opcode.Nvm.RESERVATION_REGISTER,
            Opcode.Nvm.RESERVATION_ACQUIRE,
            Opcode.Nvm.RESERVATION_RELEASE,
            Opcode.Nvm.RESERVATION_REPORT
        };
        for (int opcode : preserving) {
            effects.io(opcode, CommandsSupportedAndEffects.SUPPORTED);
        }
        int[] changing = {
            Opcode.Nvm.WRITE,
            Opcode.Nvm.WRITE_UNCORRECTABLE,
            Opcode.Nvm.WRITE_ZEROES,
            Opcode.Nvm.DATASET_MANAGEMENT,
            Opcode.Nvm.COPY
        };
        for (int opcode : changing) {
            effects.io(
                    opcode, CommandsSupportedAndEffects.SUPPORTED | CommandsSupportedAndEffects.BLOCK_CONTENT_CHANGE);
        }
        ByteBuffer page = Bytes.allocate(CommandsSupportedAndEffects.BYTES);
        effects.encode(page, 0);
        return page;
    }
}
