package io.nvmf.tools;

/** A command cannot do what was asked (exit 1). The message is one sentence that tells the person what to do. */
public class CommandException extends Exception {
    public CommandException(String message) {
        super(message);
    }

    public CommandException(String message, Throwable cause) {
        super(message, cause);
    }
}
