package io.nvmf.tools.nbd;

/** A client has broken the protocol in a way that leaves no answer but to close its connection. */
final class ProtocolException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ProtocolException(String message) {
        super(message, null, false, false);
    }
}
