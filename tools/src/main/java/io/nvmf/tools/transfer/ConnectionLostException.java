package io.nvmf.tools.transfer;

import io.nvmf.tools.CommandException;

/** A request failed because its connection is gone; the message says which one. */
final class ConnectionLostException extends CommandException {
    ConnectionLostException(String what) {
        super(what + " failed: connection lost");
    }
}
