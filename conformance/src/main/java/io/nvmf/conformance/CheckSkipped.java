package io.nvmf.conformance;

/** A check does not apply to this target. */
public final class CheckSkipped extends RuntimeException {
    private static final long serialVersionUID = 1;

    public CheckSkipped(String reason) {
        super(reason);
    }
}
