package io.nvmf.target.command.fabrics;

import io.nvmf.codec.Status;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.fabrics.PropertyCommand;
import io.nvmf.target.command.Command;
import io.nvmf.target.command.CommandHandler;

/** Property Set (NVMe-oF 1.1 s3.5); only CC can be set. */
public final class PropertySetHandler implements CommandHandler {
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
        command.queue().controller().configure(cc, command.queue().nanoTime());
        command.complete(Status.SUCCESS);
    }
}
