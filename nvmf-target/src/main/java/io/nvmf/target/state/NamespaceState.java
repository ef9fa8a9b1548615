package io.nvmf.target.state;

import io.nvmf.target.reservation.ReservationRules;
import io.nvmf.target.reservation.ReservationState;
import java.util.List;

/**
 * What of a namespace survives a loss of power, besides its data. Immutable.
 *
 * @param reservations {@link ReservationState#NONE} unless hosts have asked for more
 * @param writeProtected whether a host has set "Write Protect" (feature 84h)
 * @param badBlocks what hosts have made unreadable (Write Uncorrectable), ascending; none touches another
 */
public record NamespaceState(ReservationState reservations, boolean writeProtected, List<BlockSpan> badBlocks) {
    /** So many spans of bad blocks at most. */
    public static final int MAX_BAD_SPANS = 8192;

    /** Nothing: what a namespace begins with. */
    public static final NamespaceState NONE = new NamespaceState(ReservationState.NONE, false, List.of());

    /** @throws IllegalArgumentException for what cannot be */
    public NamespaceState {
        badBlocks = List.copyOf(badBlocks);
        if (reservations.keys().size() > ReservationRules.MAX_REGISTRANTS || badBlocks.size() > MAX_BAD_SPANS) {
            throw new IllegalArgumentException("it has too many registrants or bad blocks");
        }
        for (int i = 1; i < badBlocks.size(); i++) {
            if (badBlocks.get(i).start() <= badBlocks.get(i - 1).end()) {
                throw new IllegalArgumentException("its bad blocks are in no order");
            }
        }
    }

    public NamespaceState withReservations(ReservationState next) {
        return new NamespaceState(next, writeProtected, badBlocks);
    }

    public NamespaceState withWriteProtected(boolean next) {
        return new NamespaceState(reservations, next, badBlocks);
    }

    public NamespaceState withBadBlocks(List<BlockSpan> next) {
        return new NamespaceState(reservations, writeProtected, next);
    }
}
