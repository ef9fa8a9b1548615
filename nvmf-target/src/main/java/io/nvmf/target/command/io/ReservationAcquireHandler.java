package io.nvmf.target.command.io;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.reservation.ReservationCommand;
import io.nvmf.codec.reservation.ReservationKeys;
import io.nvmf.codec.reservation.ReservationType;
import io.nvmf.target.command.Command;
import io.nvmf.target.controller.ControllerTable;
import io.nvmf.target.namespace.Namespace;
import io.nvmf.target.namespace.Reservations;
import io.nvmf.target.reservation.ReservationChange;
import io.nvmf.target.reservation.ReservationRules;
import io.nvmf.target.reservation.ReservationState;
import io.nvmf.target.subsystem.Subsystem;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Reservation Acquire (NVMe Base 2.0 s7.2). Preempt and Abort completes when no command of a preempted host is executed on
 * the namespace any more, be its association alive or not.
 */
public final class ReservationAcquireHandler extends ReservationHandler {
    private final ControllerTable controllers;

    public ReservationAcquireHandler(ControllerTable controllers) {
        super(ReservationKeys.BYTES);
        this.controllers = controllers;
    }

    @Override
    boolean isValid(Sqe sqe, Reservations reservations) {
        int action = ReservationCommand.action(sqe);
        int type = ReservationCommand.type(sqe);
        boolean mayHaveNone = type == 0 && action != ReservationCommand.ACQUIRE;
        return action <= ReservationCommand.PREEMPT_AND_ABORT
                && !ReservationCommand.ignoresExistingKey(sqe)
                && (mayHaveNone || ReservationType.of(type) != null);
    }

    @Override
    ReservationChange change(ReservationState state, UUID hostId, Sqe sqe, ReservationKeys keys) {
        return ReservationRules.acquire(
                state, hostId, ReservationCommand.action(sqe), ReservationType.of(ReservationCommand.type(sqe)), keys);
    }

    @Override
    void changed(Command command, Namespace namespace, ReservationChange change) {
        boolean aborts = ReservationCommand.action(command.sqe()) == ReservationCommand.PREEMPT_AND_ABORT;
        if (!aborts || change.preempted().isEmpty()) {
            command.complete(Status.SUCCESS);
            return;
        }
        Subsystem subsystem = command.queue().controller().subsystem();
        CompletableFuture<?>[] ended = controllers.all().stream()
                .filter(controller -> controller.subsystem() == subsystem
                        && change.preempted().contains(controller.host().hostId()))
                .map(controller -> controller.abortCommands(namespace.nsid()))
                .toArray(CompletableFuture<?>[]::new);
        CompletableFuture.allOf(ended)
                .thenRunAsync(
                        () -> command.complete(Status.SUCCESS), command.queue().loop());
    }
}
