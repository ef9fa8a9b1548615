package io.nvmf.target.command.admin;

import io.nvmf.codec.Status;
import io.nvmf.codec.feature.FeaturesCommand;
import io.nvmf.target.command.Command;
import io.nvmf.target.command.CommandHandler;
import io.nvmf.target.controller.Controller;

/** Get Features (NVMe Base 2.0 s5.15). Only current values: ONCS says that there is no choice. */
public final class GetFeaturesHandler implements CommandHandler {
    @Override
    public long check(Command command) {
        Controller controller = command.queue().controller();
        boolean known = Feature.of(controller, FeaturesCommand.featureId(command.sqe())) != null;
        boolean current = FeaturesCommand.select(command.sqe()) == FeaturesCommand.SELECT_CURRENT;
        return known && current ? NO_DATA : CommandHandler.refuse(Status.INVALID_FIELD);
    }

    @Override
    public void execute(Command command) {
        Controller controller = command.queue().controller();
        Feature feature = Feature.of(controller, FeaturesCommand.featureId(command.sqe()));
        command.complete(Status.SUCCESS, feature.getter().get(controller));
    }
}
