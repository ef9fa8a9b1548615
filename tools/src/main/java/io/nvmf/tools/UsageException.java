package io.nvmf.tools;

/** The command line itself is wrong: an unknown, missing or contradicting option or argument (exit 2). */
public final class UsageException extends CommandException {
    public UsageException(String message) {
        super(message);
    }
}
