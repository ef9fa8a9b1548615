package io.nvmf.initiator.transport;

/** A connection could not be made, was lost, or was ended because the other end broke the protocol. */
public final class ConnectionException extends NvmfException {
    public ConnectionException(String message) {
        super(message, null);
    }

    public ConnectionException(String message, Throwable cause) {
        super(message, cause);
    }
}
