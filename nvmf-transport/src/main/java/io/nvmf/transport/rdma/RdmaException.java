package io.nvmf.transport.rdma;

import java.io.IOException;

/** A verb or a call of the communication manager failed; the message is one sentence that says which, and why. */
public final class RdmaException extends IOException {
    private static final long serialVersionUID = 1;

    public RdmaException(String message) {
        super(message);
    }

    public RdmaException(String message, Throwable cause) {
        super(message, cause);
    }
}
