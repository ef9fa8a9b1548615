package io.nvmf.target.namespace;

import io.nvmf.target.backend.BlockError;

/** What has been seen of the state of a namespace's device. It never gets better. Thread safe. */
public final class DeviceHealth {
    private volatile boolean degraded;
    private volatile boolean readOnly;

    /** Whether blocks could not be read or written. */
    public boolean isDegraded() {
        return degraded;
    }

    /** Whether the device has turned read only: one that was meant to be is not ill. */
    public boolean isReadOnly() {
        return readOnly;
    }

    /** An operation has failed. @return whether that tells something new */
    public synchronized boolean onError(BlockError error) {
        boolean wasDegraded = degraded;
        boolean wasReadOnly = readOnly;
        switch (error) {
            case READ_ERROR, WRITE_ERROR, GONE -> degraded = true;
            case READ_ONLY -> readOnly = true;
            default -> {
                // Nothing that is said of the medium.
            }
        }
        return degraded != wasDegraded || readOnly != wasReadOnly;
    }
}
