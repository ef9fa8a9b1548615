package io.nvmf.target.command.admin;

import io.nvmf.codec.Status;
import io.nvmf.codec.feature.FeaturesCommand;
import io.nvmf.target.command.Command;
import io.nvmf.target.command.CommandHandler;

/** Get Features (NVMe Base 2.0 s5.15). */
public final class GetFeaturesHandler implements CommandHandler {
    @Override
    public long check(Command command) {
        Feature feature = Features.of(command);
        int select = FeaturesCommand.select(command.sqe());
        if (feature == null || select > FeaturesCommand.SELECT_CAPABILITIES) {
            return CommandHandler.refuse(Status.INVALID_FIELD);
        }
        if (select == FeaturesCommand.SELECT_CAPABILITIES) {
            return NO_DATA;
        }
        long refusal = feature.isNamespaceSpecific() ? Features.checkNamespace(command) : NO_DATA;
        return refusal < 0 ? refusal : feature.length().of(command);
    }

    @Override
    public void execute(Command command) {
        // A namespace may have gone since the check.
        long checked = check(command);
        long result = checked < 0 ? checked : get(command);
        if (result < 0) {
            command.complete(CommandHandler.refusal(result));
        } else {
            command.complete(Status.SUCCESS, result);
        }
    }

    private static long get(Command command) {
        Feature feature = Features.of(command);
        return switch (FeaturesCommand.select(command.sqe())) {
            case FeaturesCommand.SELECT_CURRENT -> feature.current().get(command);
            case FeaturesCommand.SELECT_CAPABILITIES -> feature.capabilities();
            default -> feature.initial().get(command);
        };
    }
}
