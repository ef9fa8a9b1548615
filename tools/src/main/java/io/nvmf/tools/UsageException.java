package io.nvmf.tools;

/** The command line itself is wrong: an option or argument unknown, missing, contradicting or impossible (exit 2). */
public final class UsageException extends CommandException {
    public UsageException(String message) {
        super(message);
    }

    private UsageException(CommandException cause) {
        super(cause.getMessage(), cause);
    }

    /** The same sentence, about a value that stands on the command line. */
    public static UsageException of(CommandException cause) {
        return cause instanceof UsageException usage ? usage : new UsageException(cause);
    }
}
