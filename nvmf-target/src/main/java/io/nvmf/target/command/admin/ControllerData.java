package io.nvmf.target.command.admin;

import io.nvmf.codec.feature.AsyncEventConfig;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyController.Field;
import io.nvmf.codec.identify.NvmCommandSetController;
import io.nvmf.target.command.io.CopyHandler;
import io.nvmf.target.command.io.DatasetManagementHandler;
import io.nvmf.target.config.AnaGroups;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.target.controller.AsyncEvents;
import io.nvmf.target.controller.Controller;
import io.nvmf.target.controller.ErrorLog;
import io.nvmf.target.controller.Health;
import io.nvmf.target.controller.KeepAlive;
import io.nvmf.target.controller.TransportTraits;
import io.nvmf.target.namespace.WriteProtection;
import io.nvmf.target.subsystem.Subsystem;

/** Identify CNS 01h: what a controller says of itself. */
final class ControllerData {
    /** Abort commands that may be outstanding, zero based. */
    static final int ABORT_LIMIT_ZERO_BASED = 3;

    private static final int MINIMUM_PAGE_SHIFT = 12;
    private static final int SQES_64 = 0x66;
    private static final int CQES_16 = 0x44;
    private static final int SQE_UNITS = 4;
    private static final int UNIT_BYTES = 16;
    /** How long a host should bear with an ANA group in the state of change. */
    private static final int ANA_TRANSITION_S = 10;

    private ControllerData() {}

    static IdentifyController of(Controller controller) {
        Subsystem subsystem = controller.subsystem();
        IdentifyController data = IdentifyController.allocate();
        data.serialNumber(subsystem.serialNumber());
        data.modelNumber(subsystem.modelNumber());
        data.firmwareRevision(FirmwareRevision.TEXT);
        data.subsystemNqn(subsystem.nqn());
        common(data, controller);
        if (subsystem.isDiscovery()) {
            discovery(data);
        } else {
            io(data, controller.limits());
            data.set(Field.MNAN, subsystem.maxNamespaces());
        }
        return data;
    }

    private static void common(IdentifyController data, Controller controller) {
        TargetLimits limits = controller.limits();
        data.set(Field.CMIC, IdentifyController.CMIC_MULTI_PORT | IdentifyController.CMIC_MULTI_CONTROLLER);
        data.set(Field.MDTS, maxTransferShift(limits));
        data.set(Field.CNTLID, controller.id());
        data.set(Field.VER, Controller.VERSION);
        data.set(
                Field.CTRATT,
                IdentifyController.CTRATT_HOST_ID_128 | IdentifyController.CTRATT_TRAFFIC_BASED_KEEP_ALIVE);
        data.set(Field.AERL, AsyncEvents.MAX_REQUESTS - 1);
        data.set(
                Field.LPA,
                IdentifyController.LPA_COMMANDS_SUPPORTED_AND_EFFECTS
                        | IdentifyController.LPA_EXTENDED_DATA
                        | IdentifyController.LPA_SUPPORTED_LOG_PAGES);
        data.set(Field.ELPE, ErrorLog.ENTRIES - 1);
        data.set(Field.KAS, KeepAlive.GRANULARITY_100_MS);
        data.set(Field.MAXCMD, limits.maxQueueDepth());
        TransportTraits traits = controller.adminQueue().traits();
        data.set(Field.SGLS, traits.sgls());
        data.set(Field.IOCCSZ, SQE_UNITS + traits.inCapsuleDataBytes() / UNIT_BYTES);
        data.set(Field.IORCSZ, 1);
        data.set(Field.MSDBD, traits.maxDataDescriptors());
    }

    private static void io(IdentifyController data, TargetLimits limits) {
        data.set(Field.CNTRLTYPE, IdentifyController.TYPE_IO);
        data.set(Field.OAES, AsyncEventConfig.NAMESPACE_ATTRIBUTE | AsyncEventConfig.ANA_CHANGE);
        data.set(Field.ACL, ABORT_LIMIT_ZERO_BASED);
        data.set(Field.FRMW, FirmwareRevision.ONE_READ_ONLY_SLOT);
        data.set(Field.WCTEMP, Health.WARNING_KELVIN);
        data.set(Field.CCTEMP, Health.CRITICAL_KELVIN);
        data.set(Field.SQES, SQES_64);
        data.set(Field.CQES, CQES_16);
        data.set(Field.NN, TargetLimits.MAX_NSID);
        data.set(Field.CMIC, data.get(Field.CMIC) | IdentifyController.CMIC_ANA);
        data.set(Field.ANATT, ANA_TRANSITION_S);
        data.set(Field.ANACAP, IdentifyController.ANACAP_ALL_STATES);
        data.set(Field.ANAGRPMAX, AnaGroups.MAX);
        data.set(Field.NANAGRPID, AnaGroups.MAX);
        data.set(
                Field.ONCS,
                IdentifyController.ONCS_COMPARE
                        | IdentifyController.ONCS_WRITE_UNCORRECTABLE
                        | IdentifyController.ONCS_DATASET_MANAGEMENT
                        | IdentifyController.ONCS_WRITE_ZEROES
                        | IdentifyController.ONCS_SAVE_SELECT
                        | IdentifyController.ONCS_TIMESTAMP
                        | IdentifyController.ONCS_RESERVATIONS
                        | IdentifyController.ONCS_VERIFY
                        | IdentifyController.ONCS_COPY);
        if (limits.maxFusedBlocks() > 0) {
            data.set(Field.FUSES, IdentifyController.FUSES_COMPARE_AND_WRITE);
            data.set(Field.ACWU, limits.maxFusedBlocks() - 1);
        }
        data.set(Field.OCFS, 1 << CopyHandler.DESCRIPTOR_FORMAT);
        data.set(Field.NWPC, WriteProtection.CAPABILITIES);
        data.set(Field.VWC, IdentifyController.VWC_PRESENT | IdentifyController.VWC_FLUSH_ALL);
    }

    /** Identify CNS 06h of the NVM command set: limits of commands that MDTS does not bound. */
    static NvmCommandSetController ofNvm(Controller controller) {
        NvmCommandSetController data = NvmCommandSetController.allocate();
        data.set(NvmCommandSetController.Field.VSL, maxTransferShift(controller.limits()));
        data.set(NvmCommandSetController.Field.DMRL, DatasetManagementHandler.MAX_RANGES);
        data.set(NvmCommandSetController.Field.DMRSL, DatasetManagementHandler.MAX_RANGE_BLOCKS);
        data.set(
                NvmCommandSetController.Field.DMSL,
                DatasetManagementHandler.MAX_RANGES * DatasetManagementHandler.MAX_RANGE_BLOCKS);
        return data;
    }

    private static int maxTransferShift(TargetLimits limits) {
        return Integer.numberOfTrailingZeros(limits.maxTransferBytes()) - MINIMUM_PAGE_SHIFT;
    }

    private static void discovery(IdentifyController data) {
        data.set(Field.CNTRLTYPE, IdentifyController.TYPE_DISCOVERY);
        data.set(Field.OAES, AsyncEventConfig.DISCOVERY_LOG_CHANGE);
    }
}
