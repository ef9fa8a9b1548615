package io.nvmf.tools.nbd;

import io.nvmf.codec.Status;
import io.nvmf.initiator.namespace.Namespace;

/**
 * What is served: a namespace under a name.
 *
 * @param name that clients ask for; one that asks for no name gets it as well
 * @param description for people
 * @param maxRequestBytes of a read or write
 * @param canTrim whether the controller takes Dataset Management
 * @param canWriteZeroes whether the controller takes Write Zeroes
 */
public record NbdExport(
        Namespace namespace,
        String name,
        String description,
        boolean isReadOnly,
        int maxRequestBytes,
        boolean canTrim,
        boolean canWriteZeroes) {
    /** What clients count on that have not been told otherwise. */
    public static final int USUAL_MAX_REQUEST_BYTES = 32 << 20;

    private static final int PREFERRED_BLOCK_BYTES = 4096;

    long sizeBytes() {
        return namespace.sizeBytes();
    }

    /** Whether requests can be carried out at all, once there is a path to the namespace. */
    boolean isThere() {
        return Status.isSuccess(namespace.refusal());
    }

    int blockBytes() {
        return namespace.blockSizeBytes();
    }

    int preferredBlockBytes() {
        return Math.max(PREFERRED_BLOCK_BYTES, blockBytes());
    }

    boolean isCalled(String asked) {
        return asked.isEmpty() || asked.equals(name);
    }

    /**
     * All connections share one namespace, whose Flush is for whatever was written before by any of them: so clients may
     * use several (CAN_MULTI_CONN).
     */
    int transmissionFlags(boolean structuredReplies) {
        int flags = Nbd.HAS_FLAGS | Nbd.SEND_FLUSH | Nbd.CAN_MULTI_CONN | (structuredReplies ? Nbd.SEND_DF : 0);
        if (isReadOnly) {
            return flags | Nbd.READ_ONLY;
        }
        return flags | Nbd.SEND_FUA | (canTrim ? Nbd.SEND_TRIM : 0) | (canWriteZeroes ? Nbd.SEND_WRITE_ZEROES : 0);
    }
}
