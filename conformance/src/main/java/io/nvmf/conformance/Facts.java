package io.nvmf.conformance;

import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.identify.Cns;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyNamespace;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * What the target says of itself, read once before the checks, to decide which of them apply and how large things may be.
 * Nothing in it has been judged.
 *
 * @param capabilities CAP
 * @param version VS
 * @param nsid the namespace under test; 0 when there is none
 * @param namespace null when there is none
 */
public record Facts(
        long capabilities, long version, IdentifyController controller, long nsid, IdentifyNamespace namespace) {
    private static final int NO_LIMIT_BYTES = 4 << 20;

    /**
     * Asks the target.
     *
     * @throws CheckFailure when it does not answer what every host asks
     */
    static Facts gather(Bench bench) throws IOException {
        Association association = bench.associate();
        IdentifyController controller = IdentifyController.decode(association.identified(Cns.CONTROLLER, 0), 0);
        long nsid = bench.target().nsid();
        if (nsid == 0) {
            ByteBuffer list = association.identified(Cns.ACTIVE_NAMESPACE_LIST, 0);
            nsid = list.getInt(0) & 0xFFFF_FFFFL;
        }
        IdentifyNamespace namespace =
                nsid == 0 ? null : IdentifyNamespace.decode(association.identified(Cns.NAMESPACE, nsid), 0);
        return new Facts(
                association.property(Property.CAP), association.property(Property.VS), controller, nsid, namespace);
    }

    /** Whether a controller is there for discovery alone. */
    public boolean isDiscovery() {
        return controller.get(IdentifyController.Field.CNTRLTYPE) == IdentifyController.TYPE_DISCOVERY;
    }

    /** Block size in bytes. */
    public int blockBytes() {
        return 1 << namespace.currentLbaFormat().blockShift();
    }

    /** NSZE. */
    public long blocks() {
        return namespace.get(IdentifyNamespace.Field.NSZE);
    }

    /** MDTS in bytes; 4 MiB when there is no limit. */
    public int maxTransferBytes() {
        long bytes = controller.maxDataTransferBytes((int) (capabilities >>> 48 & 0xF));
        return bytes == 0 ? NO_LIMIT_BYTES : (int) Math.min(bytes, NO_LIMIT_BYTES);
    }

    /** Whether MDTS sets a limit. */
    public boolean limitsTransfers() {
        return controller.get(IdentifyController.Field.MDTS) != 0;
    }

    /** How much data a capsule of an I/O queue carries. */
    public int inCapsuleBytes() {
        return (int) Math.min(controller.inCapsuleDataBytes(), 1 << 20);
    }

    /** CAP.MQES + 1. */
    public int maxQueueEntries() {
        return (int) (capabilities & 0xFFFF) + 1;
    }

    /** An optional NVM command, by its bit of ONCS. */
    public boolean supports(int oncsBit) {
        return controller.has(IdentifyController.Field.ONCS, oncsBit);
    }
}
