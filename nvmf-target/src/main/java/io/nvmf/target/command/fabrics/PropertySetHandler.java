package io.nvmf.target.command.fabrics;

import io.nvmf.codec.Status;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.fabrics.PropertyCommand;
import io.nvmf.target.backend.BlockError;
import io.nvmf.target.command.Command;
import io.nvmf.target.command.CommandHandler;
import io.nvmf.target.command.CommandQueue;
import io.nvmf.target.command.io.FlushHandler;
import io.nvmf.target.controller.Controller;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Property Set (NVMe-oF 1.1 s3.5); only CC can be set. */
public final class PropertySetHandler implements CommandHandler {
    private static final Logger LOG = LoggerFactory.getLogger(PropertySetHandler.class);

    @Override
    public long check(Command command) {
        return command.queue().queueId() == 0
                        && PropertyCommand.propertyOffset(command.sqe()) == Property.CC.offset()
                        && PropertyCommand.sizeBytes(command.sqe()) == Property.CC.sizeBytes()
                ? NO_DATA
                : CommandHandler.refuse(Status.INVALID_FIELD);
    }

    @Override
    public void execute(Command command) {
        long cc = PropertyCommand.value(command.sqe()) & 0xFFFF_FFFFL;
        CommandQueue queue = command.queue();
        Controller controller = queue.controller();
        boolean shutdownStarts = controller.configure(cc);
        command.complete(Status.SUCCESS);
        if (shutdownStarts) {
            FlushHandler.flushAll(queue, controller, error -> {
                if (error != BlockError.NONE) {
                    LOG.error("{}: flushing at shutdown: {}", queue.peer(), error);
                }
                controller.shutdownComplete();
            });
        }
    }
}
