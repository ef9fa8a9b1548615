package io.nvmf.target.command.io;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.backend.BlockError;
import io.nvmf.target.command.BlockErrors;
import io.nvmf.target.command.Command;
import io.nvmf.target.command.CommandHandler;
import io.nvmf.target.namespace.Namespace;
import java.util.List;

/** Flush (NVMe Base 2.0 s7.1), of one namespace or of all. */
public final class FlushHandler implements CommandHandler {
    @Override
    public long check(Command command) {
        boolean known = command.sqe().nsid() == Sqe.NSID_ALL || BlockRange.namespace(command) != null;
        return known ? NO_DATA : CommandHandler.refuse(Status.INVALID_NAMESPACE_OR_FORMAT);
    }

    @Override
    public void execute(Command command) {
        if (command.sqe().nsid() == Sqe.NSID_ALL) {
            List<Namespace> all =
                    command.queue().controller().subsystem().namespaces().all();
            flushFrom(command, all, 0, BlockError.NONE);
        } else {
            BlockChannel channel = command.queue().channel(BlockRange.namespace(command));
            if (channel == null) {
                command.complete(BlockErrors.toStatus(BlockError.GONE));
            } else {
                channel.flush(command.whenStored());
            }
        }
    }

    /** Flushes one namespace after the other, all of them even after an error. */
    private static void flushFrom(Command command, List<Namespace> all, int index, BlockError error) {
        if (index == all.size()) {
            command.complete(BlockErrors.toStatus(error));
            return;
        }
        BlockChannel channel = command.queue().channel(all.get(index));
        if (channel == null) {
            flushFrom(command, all, index + 1, BlockError.GONE);
        } else {
            channel.flush(e -> flushFrom(command, all, index + 1, e == BlockError.NONE ? error : e));
        }
    }
}
