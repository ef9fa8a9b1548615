package io.nvmf.target.command.io;

import io.netty.buffer.ByteBuf;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.command.Command;
import io.nvmf.target.namespace.Namespace;

/** Read (NVM Command Set 1.0 s3.2.4). */
public final class ReadHandler extends NamespaceHandler {
    public ReadHandler() {
        super(Access.READ);
    }

    @Override
    long check(Command command, Namespace namespace) {
        return BlockRange.checkTransfer(command, namespace);
    }

    @Override
    public boolean readNow(Command command, ByteBuf target, int index) {
        Namespace namespace = BlockRange.namespace(command);
        BlockChannel channel = channelNow(command, namespace);
        boolean done = channel != null
                && channel.readNow(
                        BlockRange.offsetBytes(namespace, command.sqe()), target, index, command.dataLength());
        if (done) {
            namespace.counters().onRead(command.dataLength());
        }
        return done;
    }

    @Override
    void execute(Command command, Namespace namespace, BlockChannel channel) {
        namespace.counters().onRead(command.dataLength());
        if (BlockRange.isBad(command, namespace)) {
            BlockRange.unreadable(command, namespace);
            return;
        }
        channel.read(
                BlockRange.offsetBytes(namespace, command.sqe()),
                command.data(),
                0,
                command.dataLength(),
                command.whenStored());
    }
}
