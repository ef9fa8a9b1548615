package io.nvmf.conformance;

/** The target did not do what a check expects. */
public final class CheckFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String expected;
    private final String got;

    public CheckFailure(String expected, String got) {
        super("expected " + expected + "; got " + got);
        this.expected = expected;
        this.got = got;
    }

    public String expected() {
        return expected;
    }

    public String got() {
        return got;
    }
}
