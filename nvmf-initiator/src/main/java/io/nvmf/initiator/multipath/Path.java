package io.nvmf.initiator.multipath;

import io.nvmf.codec.Status;
import io.nvmf.codec.identify.IdentifyController.Field;
import io.nvmf.codec.log.AnaLog;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.controller.ControllerState;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.initiator.queue.HostQueue;

/**
 * A controller through which a namespace is reached.
 *
 * @param namespace as this controller shows it
 */
public record Path(Controller controller, Namespace namespace) {
    private static final int CRDT_UNIT_MS = 100;

    /** Whether requests may be sent, and the controller says that this is the way to go. */
    public boolean isOptimized() {
        return isOpen() && namespace.anaState() == AnaLog.STATE_OPTIMIZED;
    }

    /** Whether requests may be sent, though others may be a better way to go. */
    public boolean isUsable() {
        int state = namespace.anaState();
        return isOpen() && (state == AnaLog.STATE_OPTIMIZED || state == AnaLog.STATE_NON_OPTIMIZED);
    }

    private boolean isOpen() {
        return controller.isLive() && Status.isSuccess(namespace.refusal());
    }

    /** Whether it will never carry anything again. */
    boolean isOver() {
        return controller.state() == ControllerState.CLOSED || !Status.isSuccess(namespace.refusal());
    }

    HostQueue queue() {
        return namespace.queues().select();
    }

    boolean has(HostQueue queue) {
        return controller.hasQueue(queue);
    }

    /** How long the controller wants a command to wait (CRD), in milliseconds. */
    long retryDelayMs(int status) {
        return switch (Status.crd(status)) {
            case 1 -> CRDT_UNIT_MS * controller.identify().get(Field.CRDT1);
            case 2 -> CRDT_UNIT_MS * controller.identify().get(Field.CRDT2);
            case 3 -> CRDT_UNIT_MS * controller.identify().get(Field.CRDT3);
            default -> 0;
        };
    }

    @Override
    public String toString() {
        return controller + ", ANA state " + namespace.anaState();
    }
}
