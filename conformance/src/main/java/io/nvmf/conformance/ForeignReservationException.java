package io.nvmf.conformance;

import io.nvmf.codec.reservation.ReservationStatus.Registrant;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Another host has registered with the namespace whose data the checks may overwrite: it is in use. The message says in one
 * sentence who it is.
 */
public final class ForeignReservationException extends RuntimeException {
    private static final long serialVersionUID = 1;

    ForeignReservationException(long nsid, List<Registrant> foreign) {
        super("namespace " + nsid + " is in use: "
                + foreign.stream().map(ForeignReservationException::describe).collect(Collectors.joining(", "))
                + (foreign.size() == 1 ? " has registered with it" : " have registered with it"));
    }

    private static String describe(Registrant registrant) {
        String host = "host " + registrant.hostId() + " (key " + Long.toHexString(registrant.key()) + "h)";
        return registrant.holdsReservation() ? host + ", who holds its reservation," : host;
    }
}
