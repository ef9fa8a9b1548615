package io.nvmf.conformance;

/** What a check must be allowed to do. */
public enum Needs {
    /** Overwrites blocks of the namespace. */
    DATA_LOSS("dataloss", "it overwrites the namespace"),
    /** Disturbs other hosts: resets, reservations, settings that all controllers share, load. */
    DISRUPTION("disruptive", "it may disturb other hosts");

    private final String option;
    private final String why;

    Needs(String option, String why) {
        this.option = option;
        this.why = why;
    }

    /** The option of the command line that allows it, without its hyphens. */
    public String option() {
        return option;
    }

    /** Why a check that is not allowed to is skipped. */
    String skipReason() {
        return why + ": add --" + option;
    }
}
