package io.nvmf.target.command.io;

import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.command.Command;
import io.nvmf.target.namespace.Namespace;

/** Write (NVM Command Set 1.0 s3.2.6). */
public final class WriteHandler extends NamespaceHandler {
    public WriteHandler() {
        super(Access.WRITE);
    }

    @Override
    long check(Command command, Namespace namespace) {
        return BlockRange.checkTransfer(command, namespace);
    }

    @Override
    void execute(Command command, Namespace namespace, BlockChannel channel) {
        namespace.counters().onWrite(command.dataLength());
        channel.write(
                BlockRange.offsetBytes(namespace, command.sqe()),
                command.data(),
                0,
                command.dataLength(),
                BlockRange.mustBeDurable(command),
                BlockRange.whenWritten(command, namespace, channel));
    }
}
