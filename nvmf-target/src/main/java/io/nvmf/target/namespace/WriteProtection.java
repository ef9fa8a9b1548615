package io.nvmf.target.namespace;

/**
 * Whether a namespace may be written, as hosts decide (feature 84h, NVMe Base 2.0 s8.12). It ends with the target. Thread
 * safe.
 */
public final class WriteProtection {
    // States, as the feature's value has them.
    public static final int NONE = 0;
    public static final int PROTECTED = 1;
    public static final int UNTIL_POWER_CYCLE = 2;

    /** NWPC: all but permanent protection. */
    public static final int CAPABILITIES = 1 | 1 << 1;

    private volatile int state = NONE;

    public int state() {
        return state;
    }

    public boolean isOn() {
        return state != NONE;
    }

    /** @return false when the state it is in is there to stay */
    public synchronized boolean change(int next) {
        if (state == UNTIL_POWER_CYCLE && next != UNTIL_POWER_CYCLE) {
            return false;
        }
        state = next;
        return true;
    }
}
