package io.nvmf.target.command.io;

import io.netty.buffer.ByteBuf;
import io.nvmf.codec.Status;
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

    /** Much may have happened between the command's entry and its data, as before {@link #execute}. */
    @Override
    public boolean writeNow(Command command, ByteBuf source, int index) {
        Namespace namespace = BlockRange.namespace(command);
        BlockChannel channel = channelNow(command, namespace);
        boolean done = channel != null
                && Admission.check(command, namespace, Access.WRITE) == Status.SUCCESS
                && check(command, namespace) == command.dataLength()
                && channel.writeNow(
                        BlockRange.offsetBytes(namespace, command.sqe()),
                        source,
                        index,
                        command.dataLength(),
                        BlockRange.mustBeDurable(command));
        if (done) {
            namespace.counters().onWrite(command.dataLength());
        }
        return done;
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
