package io.nvmf.target.command.fabrics;

import io.nvmf.codec.Status;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.fabrics.PropertyCommand;
import io.nvmf.target.command.Command;
import io.nvmf.target.command.CommandHandler;
import java.util.EnumSet;
import java.util.Set;

/** Property Get (NVMe-oF 1.1 s3.4). */
public final class PropertyGetHandler implements CommandHandler {
    private static final Set<Property> READABLE = EnumSet.of(Property.CAP, Property.VS, Property.CC, Property.CSTS);

    @Override
    public long check(Command command) {
        Property property = Property.at(PropertyCommand.propertyOffset(command.sqe()));
        boolean known = property != null && READABLE.contains(property);
        return command.queue().queueId() == 0
                        && known
                        && PropertyCommand.sizeBytes(command.sqe()) == property.sizeBytes()
                ? NO_DATA
                : CommandHandler.refuse(Status.INVALID_FIELD);
    }

    @Override
    public void execute(Command command) {
        Property property = Property.at(PropertyCommand.propertyOffset(command.sqe()));
        command.complete(Status.SUCCESS, command.queue().controller().property(property));
    }
}
