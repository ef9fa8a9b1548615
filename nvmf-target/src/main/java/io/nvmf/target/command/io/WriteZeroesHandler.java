package io.nvmf.target.command.io;

import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.codec.nvm.WriteZeroesCommand;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.command.Command;
import io.nvmf.target.namespace.Namespace;

/** Write Zeroes (NVM Command Set 1.0 s3.2.8). No data moves, so that MDTS does not bound it. */
public final class WriteZeroesHandler extends NamespaceHandler {
    public WriteZeroesHandler() {
        super(Access.WRITE);
    }

    @Override
    long check(Command command, Namespace namespace) {
        long bytes = BlockRange.check(command, namespace);
        return bytes < 0 ? bytes : NO_DATA;
    }

    @Override
    void execute(Command command, Namespace namespace, BlockChannel channel) {
        channel.writeZeroes(
                BlockRange.offsetBytes(namespace, command.sqe()),
                namespace.toBytes(ReadWriteCommand.blockCount(command.sqe())),
                WriteZeroesCommand.deallocate(command.sqe()),
                BlockRange.mustBeDurable(command),
                BlockRange.whenWritten(command, namespace, channel));
    }
}
