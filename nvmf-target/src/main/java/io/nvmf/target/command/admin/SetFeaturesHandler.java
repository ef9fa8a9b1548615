package io.nvmf.target.command.admin;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.feature.FeaturesCommand;
import io.nvmf.target.command.Command;
import io.nvmf.target.command.CommandHandler;

/** Set Features (NVMe Base 2.0 s5.27). Nothing can be saved. */
public final class SetFeaturesHandler implements CommandHandler {
    @Override
    public long check(Command command) {
        Feature feature = Features.of(command);
        if (feature == null) {
            return CommandHandler.refuse(Status.INVALID_FIELD);
        }
        if (FeaturesCommand.save(command.sqe())) {
            return CommandHandler.refuse(Status.FEATURE_NOT_SAVEABLE);
        }
        if (!feature.isChangeable()) {
            // The host identifier, which came with Connect.
            return CommandHandler.refuse(Status.COMMAND_SEQUENCE_ERROR);
        }
        if (feature.isNamespaceSpecific()) {
            boolean all = command.sqe().nsid() == Sqe.NSID_ALL && Features.mayBeForAllNamespaces(command);
            long refusal = all ? NO_DATA : Features.checkNamespace(command);
            if (refusal < 0) {
                return refusal;
            }
        } else if (!Features.isWholeController(command.sqe())) {
            return CommandHandler.refuse(Status.FEATURE_NOT_NAMESPACE_SPECIFIC);
        }
        return feature.length().of(command);
    }

    @Override
    public void execute(Command command) {
        // A namespace may have gone since the check.
        long checked = check(command);
        if (checked < 0) {
            command.complete(CommandHandler.refusal(checked));
        } else {
            Features.of(command).setter().set(command, FeaturesCommand.value(command.sqe()));
        }
    }
}
