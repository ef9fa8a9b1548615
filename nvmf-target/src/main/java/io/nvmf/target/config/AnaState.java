package io.nvmf.target.config;

import io.nvmf.codec.Status;
import io.nvmf.codec.log.AnaLog;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** How well the namespaces of a group are reached through a port (NVMe Base 2.0 s8.1.3). */
public enum AnaState {
    OPTIMIZED(AnaLog.STATE_OPTIMIZED, Status.SUCCESS),
    NON_OPTIMIZED(AnaLog.STATE_NON_OPTIMIZED, Status.SUCCESS),
    INACCESSIBLE(AnaLog.STATE_INACCESSIBLE, Status.ANA_INACCESSIBLE),
    PERSISTENT_LOSS(AnaLog.STATE_PERSISTENT_LOSS, Status.ANA_PERSISTENT_LOSS),
    /** On its way from one of these to another. */
    CHANGE(AnaLog.STATE_CHANGE, Status.ANA_TRANSITION);

    private final int code;
    private final int refusal;

    AnaState(int code, int refusal) {
        this.code = code;
        this.refusal = refusal;
    }

    /** As the log has it. */
    public int code() {
        return code;
    }

    /** How commands on a namespace end, without DNR, for another path may serve them; success when they are done. */
    public int refusal() {
        return refusal;
    }

    /**
     * The state of that name, {@code non-optimized} or {@code non_optimized}.
     *
     * @throws IllegalArgumentException if there is none; the message is the end of a sentence that begins with the name
     */
    public static AnaState named(String name) {
        for (AnaState state : values()) {
            if (state.toString().equals(name.replace('_', '-'))) {
                return state;
            }
        }
        throw new IllegalArgumentException("is no ANA state; there are "
                + Arrays.stream(values()).map(AnaState::toString).collect(Collectors.joining(", ")));
    }

    /** As nvmetcli has it: {@code non-optimized}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
