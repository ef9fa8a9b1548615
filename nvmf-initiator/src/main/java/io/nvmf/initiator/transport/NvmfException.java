package io.nvmf.initiator.transport;

/** What goes wrong between this host and a controller. The message is one sentence for people. */
public abstract class NvmfException extends RuntimeException {
    protected NvmfException(String message, Throwable cause) {
        super(message, cause);
    }
}
