package io.nvmf.target.command.admin;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.log.ReservationNotification;
import io.nvmf.target.command.Command;
import io.nvmf.target.controller.ReservationNotices;
import io.nvmf.target.namespace.Namespace;
import io.nvmf.target.namespace.Reservations;
import io.nvmf.target.reservation.ReservationChange;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Features 82h, which notifications of reservations are masked, and 83h, whether reservations persist through power loss, of
 * one namespace or of all (NVMe Base 2.0 s5.27.1.26, s5.27.1.27).
 */
final class ReservationFeatures {
    private static final int MASK_BITS = 1 << ReservationNotification.TYPE_REGISTRATION_PREEMPTED
            | 1 << ReservationNotification.TYPE_RESERVATION_RELEASED
            | 1 << ReservationNotification.TYPE_RESERVATION_PREEMPTED;

    private static final int PERSISTENT = 1;

    private ReservationFeatures() {}

    static long mask(Command command) {
        return Features.controller(command)
                .reservationNotices()
                .mask(command.sqe().nsid());
    }

    static void setMask(Command command, long value) {
        if ((value & ~MASK_BITS) != 0) {
            command.complete(Status.INVALID_FIELD | Status.DNR);
            return;
        }
        ReservationNotices notices = Features.controller(command).reservationNotices();
        namespaces(command).forEach(namespace -> notices.mask(namespace.nsid(), (int) value));
        command.complete(Status.SUCCESS);
    }

    static long persistence(Command command) {
        return Features.namespace(command).reservations().state().persistent() ? PERSISTENT : 0;
    }

    /** Of all namespaces those are meant that can. */
    static void setPersistence(Command command, long value) {
        List<Reservations> able = namespaces(command).stream()
                .map(Namespace::reservations)
                .filter(Reservations::canPersist)
                .toList();
        if ((value & ~PERSISTENT) != 0 || able.isEmpty()) {
            command.complete(Status.INVALID_FIELD | Status.DNR);
            return;
        }
        List<CompletableFuture<ReservationChange>> changes = able.stream()
                .map(reservations -> reservations.persist(value == PERSISTENT))
                .toList();
        CompletableFuture.allOf(changes.toArray(CompletableFuture<?>[]::new))
                .thenRunAsync(
                        () -> command.complete(worst(changes)), command.queue().loop());
    }

    /** A status that is not success, if there is one. */
    private static int worst(List<CompletableFuture<ReservationChange>> changes) {
        return changes.stream()
                .map(CompletableFuture::join)
                .mapToInt(ReservationChange::status)
                .max()
                .orElse(Status.SUCCESS);
    }

    /** The one that a command names, or all. */
    private static List<Namespace> namespaces(Command command) {
        return command.sqe().nsid() == Sqe.NSID_ALL
                ? Features.controller(command).subsystem().namespaces().all()
                : List.of(Features.namespace(command));
    }
}
