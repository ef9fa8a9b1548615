package io.nvmf.target.command.io;

import io.nvmf.codec.Status;
import io.nvmf.target.command.Command;
import io.nvmf.target.command.CommandHandler;
import io.nvmf.target.namespace.Namespace;
import java.util.UUID;

/**
 * Whether a command may have its namespace now: all that can be against it, in one place, in the order in which it counts.
 * Asked when a command arrives and again when it is executed; what is being executed goes on when the answer changes.
 */
final class Admission {
    private Admission() {}

    /**
     * @param namespace the one that the command names, null when there is none
     * @return a status, with DNR where it will not change by itself
     */
    static int check(Command command, Namespace namespace, Access access) {
        if (namespace == null) {
            return Status.INVALID_NAMESPACE_OR_FORMAT | Status.DNR;
        }
        if (access == Access.WRITE && namespace.isWriteProtected()) {
            return Status.NAMESPACE_WRITE_PROTECTED | Status.DNR;
        }
        UUID hostId = command.queue().controller().host().hostId();
        if (namespace.reservations().excludes(hostId, access != Access.READ)) {
            return Status.RESERVATION_CONFLICT | Status.DNR;
        }
        return command.queue().controller().anaState(namespace).refusal();
    }

    /** Whether a command may have its namespace that reservations and protection do not keep away; as {@link #checkFirst}. */
    static long checkReach(Command command, Namespace namespace) {
        if (namespace == null) {
            return CommandHandler.refuse(Status.INVALID_NAMESPACE_OR_FORMAT);
        }
        int status = command.queue().controller().anaState(namespace).refusal();
        return status == Status.SUCCESS ? CommandHandler.NO_DATA : CommandHandler.refuseAs(status);
    }

    /** As {@link #check}, as the result of a handler's check. */
    static long checkFirst(Command command, Namespace namespace, Access access) {
        int status = check(command, namespace, access);
        return status == Status.SUCCESS ? CommandHandler.NO_DATA : CommandHandler.refuseAs(status);
    }
}
