package io.nvmf.target.namespace;

import io.nvmf.codec.Status;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * Whether a namespace may be written, as hosts decide (feature 84h, NVMe Base 2.0 s8.12). To the host, a target that starts is
 * power that comes back. Thread safe.
 */
public final class WriteProtection {
    // States, as the feature's value has them.
    public static final int NONE = 0;
    public static final int PROTECTED = 1;
    public static final int UNTIL_POWER_CYCLE = 2;

    /** NWPC: all but permanent protection. */
    public static final int CAPABILITIES = 1 | 1 << 1;

    private final KeptState kept;
    private final boolean canLast;
    private volatile int state;

    /**
     * What came of a change.
     *
     * @param status without flags
     * @param isSeen whether what Identify says of the namespace is different now
     */
    public record Change(int status, boolean isSeen) {
        static Change refused(int status) {
            return new Change(status, false);
        }
    }

    /** @param canLast whether {@link #PROTECTED} lasts as long as the blocks that it protects */
    WriteProtection(KeptState kept, boolean canLast) {
        this.kept = kept;
        this.canLast = canLast;
        this.state = kept.atStart().writeProtected() ? PROTECTED : NONE;
    }

    public int state() {
        return state;
    }

    public boolean isOn() {
        return state != NONE;
    }

    /** Goes to another state, when it is kept. Any thread. @return ends on any thread */
    public CompletableFuture<Change> change(int next) {
        return kept.change(() -> changeNow(next), Change::refused);
    }

    private Change changeNow(int next) throws IOException {
        int before = state;
        if (before == UNTIL_POWER_CYCLE && next != UNTIL_POWER_CYCLE) {
            return Change.refused(Status.FEATURE_NOT_CHANGEABLE);
        }
        if (next == PROTECTED && !canLast) {
            return Change.refused(Status.INVALID_FIELD);
        }
        kept.save(all -> all.withWriteProtected(next == PROTECTED));
        state = next;
        return new Change(Status.SUCCESS, (before == NONE) != (next == NONE));
    }
}
