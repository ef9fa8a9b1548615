package io.nvmf.initiator.queue;

import io.nvmf.codec.Status;
import io.nvmf.codec.StatusNames;
import io.nvmf.initiator.transport.NvmfException;

/** A command completed with a status other than success. */
public class NvmeStatusException extends NvmfException {
    private final int status;

    /**
     * @param command what was tried, the subject of the message: {@code Read of namespace 1}
     * @param status the 15-bit status
     * @param cause why the connection is gone, or null
     */
    public NvmeStatusException(String command, int status, StatusNames.Kind kind, Throwable cause) {
        super(
                command + " failed: " + StatusNames.describe(status, kind)
                        + (cause == null ? "" : ", because " + cause.getMessage()),
                cause);
        this.status = status;
    }

    protected NvmeStatusException(String message, int status) {
        super(message, null);
        this.status = status;
    }

    /** The 15-bit status with its flags, see {@link Status}. */
    public int status() {
        return status;
    }

    /** Status code type. */
    public int sct() {
        return Status.sct(status);
    }

    /** Status code. */
    public int sc() {
        return Status.sc(status);
    }

    /** Do Not Retry: the same command would fail again. */
    public boolean dnr() {
        return Status.dnr(status);
    }
}
