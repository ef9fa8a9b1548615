package io.nvmf.target.command.admin;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.log.ReservationNotification;
import io.nvmf.target.command.Command;
import io.nvmf.target.controller.ReservationNotices;
import io.nvmf.target.namespace.Namespace;
import java.util.List;

/** Feature 82h, the reservation notification mask of one namespace or of all (NVMe Base 2.0 s5.27.1.26). */
final class ReservationFeatures {
    private static final int MASK_BITS = 1 << ReservationNotification.TYPE_REGISTRATION_PREEMPTED
            | 1 << ReservationNotification.TYPE_RESERVATION_RELEASED
            | 1 << ReservationNotification.TYPE_RESERVATION_PREEMPTED;

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

    /** The one that a command names, or all. */
    private static List<Namespace> namespaces(Command command) {
        return command.sqe().nsid() == Sqe.NSID_ALL
                ? Features.controller(command).subsystem().namespaces().all()
                : List.of(Features.namespace(command));
    }
}
