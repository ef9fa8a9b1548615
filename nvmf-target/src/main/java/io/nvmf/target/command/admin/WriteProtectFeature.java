package io.nvmf.target.command.admin;

import io.nvmf.codec.Status;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.command.BlockErrors;
import io.nvmf.target.command.Command;
import io.nvmf.target.namespace.Namespace;
import io.nvmf.target.namespace.RangeLock;
import io.nvmf.target.namespace.WriteProtection;

/**
 * Feature 84h, namespace write protection (NVMe Base 2.0 s8.12). What was written before is made durable before the command
 * completes. Every host sees the change in the namespace's attributes.
 */
final class WriteProtectFeature {
    private static final int STATE = 0x7;

    private WriteProtectFeature() {}

    static long current(Command command) {
        return Features.namespace(command).writeProtection().state();
    }

    static void set(Command command, long value) {
        Namespace namespace = Features.namespace(command);
        int wanted = (int) value & STATE;
        if (wanted > WriteProtection.UNTIL_POWER_CYCLE) {
            command.complete(Status.INVALID_FIELD | Status.DNR);
            return;
        }
        BlockChannel channel = command.queue().channel(namespace);
        if (channel == null) {
            command.complete(Status.NAMESPACE_NOT_READY | Status.DNR);
            return;
        }
        namespace
                .writeProtection()
                .change(wanted)
                .thenAcceptAsync(
                        change -> changed(command, namespace, channel, change),
                        command.queue().loop());
    }

    private static void changed(
            Command command, Namespace namespace, BlockChannel channel, WriteProtection.Change change) {
        if (change.status() != Status.SUCCESS) {
            command.complete(change.status() | Status.DNR);
            return;
        }
        if (change.isSeen()) {
            Features.controller(command).subsystem().onAttributesChanged(namespace.nsid());
        }
        flush(command, namespace, channel);
    }

    /** Once what had begun before has ended. */
    private static void flush(Command command, Namespace namespace, BlockChannel channel) {
        RangeLock all = new RangeLock(0, namespace.blockCount());
        RangeLock conflict = namespace.locks().acquire(all);
        if (conflict != null) {
            command.await(conflict, () -> flush(command, namespace, channel));
            return;
        }
        command.queue().blocks().whenAllClear(namespace.locks(), all, () -> {
            namespace.locks().release(all);
            channel.flush(error -> command.complete(BlockErrors.toStatus(error)));
        });
    }
}
