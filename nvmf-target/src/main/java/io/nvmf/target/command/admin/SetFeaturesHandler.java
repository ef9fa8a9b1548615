package io.nvmf.target.command.admin;

import io.nvmf.codec.Status;
import io.nvmf.codec.feature.FeaturesCommand;
import io.nvmf.target.command.Command;
import io.nvmf.target.command.CommandHandler;
import io.nvmf.target.controller.Controller;

/** Set Features (NVMe Base 2.0 s5.27). Nothing can be saved. */
public final class SetFeaturesHandler implements CommandHandler {
    @Override
    public long check(Command command) {
        Controller controller = command.queue().controller();
        if (Feature.of(controller, FeaturesCommand.featureId(command.sqe())) == null) {
            return CommandHandler.refuse(Status.INVALID_FIELD);
        }
        return FeaturesCommand.save(command.sqe()) ? CommandHandler.refuse(Status.FEATURE_NOT_SAVEABLE) : NO_DATA;
    }

    @Override
    public void execute(Command command) {
        Controller controller = command.queue().controller();
        Feature.of(controller, FeaturesCommand.featureId(command.sqe()))
                .setter()
                .set(command, controller, FeaturesCommand.value(command.sqe()));
    }
}
