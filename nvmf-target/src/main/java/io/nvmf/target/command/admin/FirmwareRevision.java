package io.nvmf.target.command.admin;

/** What stands for firmware: the version of this program, in one slot that cannot be written. */
final class FirmwareRevision {
    /** At most eight characters. */
    static final String TEXT = "0.1.0";
    /** FRMW: slot 1 is read only, one slot. */
    static final int ONE_READ_ONLY_SLOT = 1 | 1 << 1;

    private FirmwareRevision() {}
}
