package io.nvmf.target.reservation;

import io.nvmf.codec.reservation.ReservationStatus;
import io.nvmf.codec.reservation.ReservationStatus.Registrant;
import io.nvmf.codec.reservation.ReservationType;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Registrants and reservation of one namespace at one moment. Immutable. A host is its Host Identifier: all its
 * controllers share what it has registered.
 *
 * @param generation counts changes of registrations, 32 bits, and wraps
 * @param persistent PTPL: whether all of it outlives the target
 * @param keys each registrant's key, in the order in which they registered
 * @param type of the reservation, or null when there is none
 * @param holder who holds it; null when nobody or every registrant does
 */
public record ReservationState(
        long generation, boolean persistent, Map<UUID, Long> keys, ReservationType type, UUID holder) {
    /** Nobody has registered. */
    public static final ReservationState NONE = new ReservationState(0, false, Map.of(), null, null);

    public ReservationState {
        keys = Collections.unmodifiableMap(new LinkedHashMap<>(keys));
    }

    /**
     * Whether the reservation keeps commands of this host out (NVMe Base 2.0 s8.19).
     *
     * @param writes whether they are of the write command group, in which are Flush and all of Dataset Management too
     */
    public boolean excludes(UUID host, boolean writes) {
        if (type == null || !(writes || type.excludesReads())) {
            return false;
        }
        return !(type.letsRegistrantsIn() ? keys.containsKey(host) : host.equals(holder));
    }

    boolean isRegistered(UUID host, long key) {
        Long registered = keys.get(host);
        return registered != null && registered == key;
    }

    /** Whether the host holds the reservation, alone or with others. */
    boolean isHeldBy(UUID host) {
        return type != null && (type.isHeldByAllRegistrants() ? keys.containsKey(host) : host.equals(holder));
    }

    /** What Reservation Report tells. */
    public ReservationStatus status() {
        List<Registrant> registrants = keys.entrySet().stream()
                .map(e -> new Registrant(
                        ReservationStatus.CONTROLLER_ID_DYNAMIC, isHeldBy(e.getKey()), e.getValue(), e.getKey()))
                .toList();
        return new ReservationStatus(generation, type, persistent, registrants);
    }

    ReservationState counted() {
        return new ReservationState(generation + 1 & 0xFFFF_FFFFL, persistent, keys, type, holder);
    }

    /** The same, to outlive the target or not. */
    public ReservationState persistent(boolean newPersistent) {
        return new ReservationState(generation, newPersistent, keys, type, holder);
    }

    ReservationState registered(UUID host, long key) {
        Map<UUID, Long> more = new LinkedHashMap<>(keys);
        more.put(host, key);
        return new ReservationState(generation, persistent, more, type, holder);
    }

    /** Without some registrants, and without the reservation when nobody is left to hold it. */
    ReservationState unregistered(Iterable<UUID> hosts) {
        Map<UUID, Long> fewer = new LinkedHashMap<>(keys);
        hosts.forEach(fewer::remove);
        boolean held = type != null && (type.isHeldByAllRegistrants() ? !fewer.isEmpty() : fewer.containsKey(holder));
        return new ReservationState(generation, persistent, fewer, held ? type : null, held ? holder : null);
    }

    /** @param by a registrant */
    ReservationState reserved(ReservationType newType, UUID by) {
        return new ReservationState(
                generation, persistent, keys, newType, newType.isHeldByAllRegistrants() ? null : by);
    }

    ReservationState released() {
        return new ReservationState(generation, persistent, keys, null, null);
    }
}
