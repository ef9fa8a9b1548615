package io.nvmf.target.reservation;

import static io.nvmf.codec.reservation.ReservationCommand.ACQUIRE;
import static io.nvmf.codec.reservation.ReservationCommand.CLEAR;
import static io.nvmf.codec.reservation.ReservationCommand.PREEMPT;
import static io.nvmf.codec.reservation.ReservationCommand.REGISTER;
import static io.nvmf.codec.reservation.ReservationCommand.RELEASE;
import static io.nvmf.codec.reservation.ReservationCommand.REPLACE;
import static io.nvmf.codec.reservation.ReservationCommand.UNREGISTER;
import static io.nvmf.codec.reservation.ReservationType.EXCLUSIVE_ACCESS;
import static io.nvmf.codec.reservation.ReservationType.EXCLUSIVE_ACCESS_ALL_REGISTRANTS;
import static io.nvmf.codec.reservation.ReservationType.EXCLUSIVE_ACCESS_REGISTRANTS_ONLY;
import static io.nvmf.codec.reservation.ReservationType.WRITE_EXCLUSIVE;
import static io.nvmf.codec.reservation.ReservationType.WRITE_EXCLUSIVE_ALL_REGISTRANTS;
import static io.nvmf.codec.reservation.ReservationType.WRITE_EXCLUSIVE_REGISTRANTS_ONLY;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.nvmf.codec.Status;
import io.nvmf.codec.reservation.ReservationKeys;
import io.nvmf.codec.reservation.ReservationType;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ReservationRulesTest {
    private static final UUID A = new UUID(0, 0xA);
    private static final UUID B = new UUID(0, 0xB);
    private static final UUID C = new UUID(0, 0xC);
    private static final UUID STRANGER = new UUID(0, 0xD);
    private static final int KEEP = 0;

    private ReservationState state = ReservationState.NONE;
    private ReservationChange last;

    private int did(ReservationChange change) {
        last = change;
        if (change.status() == Status.SUCCESS) {
            state = change.next();
        }
        return change.status();
    }

    private int register(UUID host, int action, boolean ignoreKey, long current, long key) {
        return did(ReservationRules.register(state, host, action, ignoreKey, KEEP, new ReservationKeys(current, key)));
    }

    private void register(UUID host, long key) {
        assertEquals(0, register(host, REGISTER, false, 0, key));
    }

    private int acquire(UUID host, int action, ReservationType type, long current, long victim) {
        return did(ReservationRules.acquire(state, host, action, type, new ReservationKeys(current, victim)));
    }

    private void reserve(UUID host, ReservationType type, long key) {
        assertEquals(0, acquire(host, ACQUIRE, type, key, 0));
    }

    private int release(UUID host, int action, ReservationType type, long key) {
        return did(ReservationRules.release(state, host, action, type, new ReservationKeys(key, 0)));
    }

    /** What the last change tells other hosts: by type of notification, without those that go to nobody. */
    private Map<Integer, Set<UUID>> told() {
        Map<Integer, Set<UUID>> told = new TreeMap<>();
        last.notices().forEach(notice -> {
            if (!notice.hosts().isEmpty()) {
                told.put(notice.type(), notice.hosts());
            }
        });
        return told;
    }

    /** The whole table: what each type lets the holder (H), another registrant (r) and a stranger (s) do. */
    @ParameterizedTest
    @CsvSource({
        "1, HrsH--",
        "2, H--H--",
        "3, HrsHr-",
        "4, Hr-Hr-",
        "5, HrsHr-",
        "6, Hr-Hr-",
    })
    void shouldLetInWhomTheTypeLetsIn(int type, String readersThenWriters) {
        register(A, 1);
        register(B, 2);
        reserve(A, ReservationType.of(type), 1);
        String let = "";
        for (boolean writes : new boolean[] {false, true}) {
            let += state.excludes(A, writes) ? '-' : 'H';
            let += state.excludes(B, writes) ? '-' : 'r';
            let += state.excludes(STRANGER, writes) ? '-' : 's';
        }
        assertEquals(readersThenWriters, let);
    }

    @Test
    void shouldLetEveryoneInWithoutAReservation() {
        register(A, 1);
        assertEquals(false, state.excludes(STRANGER, true));
    }

    @Test
    void shouldRegisterOnceAndReplaceKeys() {
        assertEquals(Status.INVALID_FIELD, register(A, REGISTER, false, 0, 0));
        register(A, 1);
        assertEquals(0, register(A, REGISTER, false, 0, 1), "the same key again");
        assertEquals(Status.RESERVATION_CONFLICT, register(A, REGISTER, false, 1, 2), "another key");
        assertEquals(Status.RESERVATION_CONFLICT, register(A, REPLACE, false, 9, 2), "with a wrong key");
        assertEquals(Status.INVALID_FIELD, register(A, REPLACE, false, 1, 0));
        assertEquals(0, register(A, REPLACE, false, 1, 2));
        assertEquals(0, register(A, REPLACE, true, 77, 3));
        assertEquals(Status.RESERVATION_CONFLICT, register(B, REPLACE, false, 0, 4), "without a registration");
        assertEquals(0, register(B, REPLACE, true, 0, 4));
        assertEquals(Map.of(A, 3L, B, 4L), state.keys());
    }

    @Test
    void shouldUnregisterWithTheKeyOrWithoutLookingAtIt() {
        register(A, 1);
        register(B, 2);
        assertEquals(Status.RESERVATION_CONFLICT, register(A, UNREGISTER, false, 2, 0));
        assertEquals(Status.RESERVATION_CONFLICT, register(C, UNREGISTER, true, 0, 0), "who has not registered");
        assertEquals(0, register(A, UNREGISTER, false, 1, 0));
        assertEquals(0, register(B, UNREGISTER, true, 99, 0));
        assertEquals(Map.of(), state.keys());
    }

    @Test
    void shouldCountChangesOfRegistrationsAlone() {
        register(A, 1);
        register(B, 2);
        assertEquals(2, state.generation());
        register(A, REPLACE, false, 1, 3);
        assertEquals(3, state.generation());
        reserve(A, WRITE_EXCLUSIVE, 3);
        release(A, RELEASE, WRITE_EXCLUSIVE, 3);
        assertEquals(3, state.generation(), "neither Acquire nor Release counts");
        register(B, UNREGISTER, false, 77, 0);
        assertEquals(3, state.generation(), "nor does what fails");
        register(B, UNREGISTER, false, 2, 0);
        register(B, 2);
        acquire(A, PREEMPT, null, 3, 2);
        assertEquals(6, state.generation());
        release(A, CLEAR, null, 3);
        assertEquals(7, state.generation());
        state = new ReservationState(0xFFFF_FFFFL, false, Map.of(), null, null);
        register(A, 1);
        assertEquals(0, state.generation(), "it wraps");
    }

    @ParameterizedTest
    @EnumSource
    void shouldGiveTheReservationToOneRegistrantOrToAll(ReservationType type) {
        assertEquals(Status.RESERVATION_CONFLICT, acquire(A, ACQUIRE, type, 0, 0), "without a registration");
        register(A, 1);
        register(B, 2);
        assertEquals(Status.RESERVATION_CONFLICT, acquire(A, ACQUIRE, type, 2, 0), "with another's key");
        reserve(A, type, 1);
        assertEquals(0, acquire(A, ACQUIRE, type, 1, 0), "whoever has it may ask again");
        ReservationType other = type == EXCLUSIVE_ACCESS ? WRITE_EXCLUSIVE : EXCLUSIVE_ACCESS;
        assertEquals(Status.RESERVATION_CONFLICT, acquire(A, ACQUIRE, other, 1, 0), "but not for another type");
        int others = type.isHeldByAllRegistrants() ? 0 : Status.RESERVATION_CONFLICT;
        assertEquals(others, acquire(B, ACQUIRE, type, 2, 0));
        assertEquals(type, state.type());
    }

    @ParameterizedTest
    @EnumSource
    void shouldReleaseOnlyWhatOneHoldsOfThatType(ReservationType type) {
        register(A, 1);
        register(B, 2);
        assertEquals(0, release(A, RELEASE, type, 1), "there is nothing to release");
        assertEquals(Status.RESERVATION_CONFLICT, release(C, RELEASE, type, 1), "without a registration");
        reserve(A, type, 1);
        assertEquals(Status.RESERVATION_CONFLICT, release(A, RELEASE, type, 2), "with a wrong key");
        ReservationType other = type == EXCLUSIVE_ACCESS ? WRITE_EXCLUSIVE : EXCLUSIVE_ACCESS;
        assertEquals(Status.INVALID_FIELD, release(A, RELEASE, other, 1));
        if (!type.isHeldByAllRegistrants()) {
            assertEquals(0, release(B, RELEASE, type, 2), "who holds nothing");
            assertEquals(type, state.type(), "changes nothing");
        }
        assertEquals(0, release(A, RELEASE, type, 1));
        assertNull(state.type());
        assertEquals(type.letsRegistrantsIn() ? Map.of(2, Set.of(B)) : Map.of(), told());
        assertEquals(Set.of(A, B), state.keys().keySet());
    }

    @Test
    void shouldReleaseWhenTheHolderUnregisters() {
        register(A, 1);
        register(B, 2);
        reserve(A, WRITE_EXCLUSIVE, 1);
        register(A, UNREGISTER, false, 1, 0);
        assertNull(state.type());
        assertEquals(Map.of(), told());
        register(A, 1);
        reserve(A, EXCLUSIVE_ACCESS_REGISTRANTS_ONLY, 1);
        register(B, UNREGISTER, false, 2, 0);
        assertEquals(EXCLUSIVE_ACCESS_REGISTRANTS_ONLY, state.type(), "another registrant leaves");
        register(B, 2);
        register(A, UNREGISTER, false, 1, 0);
        assertNull(state.type());
        assertEquals(Map.of(2, Set.of(B)), told());
    }

    @Test
    void shouldReleaseWhatAllHoldWhenTheLastUnregisters() {
        register(A, 1);
        register(B, 2);
        reserve(A, WRITE_EXCLUSIVE_ALL_REGISTRANTS, 1);
        register(A, UNREGISTER, false, 1, 0);
        assertEquals(WRITE_EXCLUSIVE_ALL_REGISTRANTS, state.type());
        register(B, UNREGISTER, false, 2, 0);
        assertNull(state.type());
    }

    @Test
    void shouldClearEverything() {
        register(A, 1);
        register(B, 2);
        register(C, 3);
        reserve(A, EXCLUSIVE_ACCESS, 1);
        assertEquals(Status.RESERVATION_CONFLICT, release(B, CLEAR, null, 1));
        assertEquals(0, release(B, CLEAR, null, 2), "any registrant may");
        assertEquals(Map.of(), state.keys());
        assertNull(state.type());
        assertEquals(Map.of(3, Set.of(A, C)), told());
    }

    @Test
    void shouldTakeTheReservationFromItsHolder() {
        register(A, 1);
        register(B, 2);
        register(C, 3);
        reserve(A, WRITE_EXCLUSIVE, 1);
        assertEquals(Status.INVALID_FIELD, acquire(B, PREEMPT, null, 2, 1), "of no type");
        assertEquals(Status.RESERVATION_CONFLICT, acquire(B, PREEMPT, EXCLUSIVE_ACCESS, 1, 1), "with a wrong key");
        assertEquals(0, acquire(B, PREEMPT, EXCLUSIVE_ACCESS, 2, 1));
        assertEquals(EXCLUSIVE_ACCESS, state.type());
        assertEquals(B, state.holder());
        assertEquals(Set.of(B, C), state.keys().keySet());
        assertEquals(Map.of(1, Set.of(A), 2, Set.of(C)), told());
        assertEquals(Set.of(A), last.preempted());
        assertEquals(0, acquire(C, PREEMPT, EXCLUSIVE_ACCESS, 3, 2));
        assertEquals(Map.of(1, Set.of(B)), told(), "nothing is released for others when the type stays");
    }

    @Test
    void shouldKeepWhoPreemptsWithTheHoldersOwnKey() {
        register(A, 1);
        register(B, 1);
        register(C, 1);
        reserve(A, WRITE_EXCLUSIVE, 1);
        assertEquals(0, acquire(B, PREEMPT, WRITE_EXCLUSIVE, 1, 1));
        assertEquals(Set.of(B), state.keys().keySet());
        assertEquals(B, state.holder());
        assertEquals(Map.of(1, Set.of(A, C)), told());
        assertEquals(0, acquire(B, PREEMPT, EXCLUSIVE_ACCESS, 1, 1), "the holder may preempt itself");
        assertEquals(EXCLUSIVE_ACCESS, state.type());
        assertEquals(Set.of(B), state.keys().keySet());
        assertEquals(Set.of(), last.preempted());
    }

    @Test
    void shouldPreemptRegistrationsAlone() {
        register(A, 1);
        register(B, 2);
        register(C, 2);
        assertEquals(Status.RESERVATION_CONFLICT, acquire(A, PREEMPT, WRITE_EXCLUSIVE, 1, 77), "a key nobody has");
        assertEquals(Status.INVALID_FIELD, acquire(A, PREEMPT, WRITE_EXCLUSIVE, 1, 0));
        assertEquals(0, acquire(A, PREEMPT, WRITE_EXCLUSIVE, 1, 2));
        assertNull(state.type(), "nothing was held, nothing is taken");
        assertEquals(Map.of(1, Set.of(B, C)), told());
        register(B, 2);
        reserve(A, WRITE_EXCLUSIVE_REGISTRANTS_ONLY, 1);
        assertEquals(0, acquire(A, PREEMPT, null, 1, 2));
        assertEquals(A, state.holder());
        assertEquals(WRITE_EXCLUSIVE_REGISTRANTS_ONLY, state.type());
        register(B, 2);
        assertEquals(0, acquire(B, PREEMPT, null, 2, 2), "its own");
        assertEquals(Set.of(A), state.keys().keySet());
        assertEquals(Map.of(), told());
        assertEquals(Set.of(), last.preempted());
    }

    @Test
    void shouldPreemptAmongAllRegistrants() {
        register(A, 1);
        register(B, 2);
        register(C, 3);
        reserve(A, WRITE_EXCLUSIVE_ALL_REGISTRANTS, 1);
        assertEquals(Status.RESERVATION_CONFLICT, acquire(A, PREEMPT, EXCLUSIVE_ACCESS, 1, 77));
        assertEquals(0, acquire(A, PREEMPT, EXCLUSIVE_ACCESS, 1, 3));
        assertEquals(WRITE_EXCLUSIVE_ALL_REGISTRANTS, state.type(), "a key takes nothing");
        assertEquals(Map.of(1, Set.of(C)), told());
        assertEquals(Status.INVALID_FIELD, acquire(B, PREEMPT, null, 2, 0));
        assertEquals(0, acquire(B, PREEMPT, EXCLUSIVE_ACCESS_ALL_REGISTRANTS, 2, 0));
        assertEquals(EXCLUSIVE_ACCESS_ALL_REGISTRANTS, state.type());
        assertEquals(Set.of(B), state.keys().keySet());
        assertEquals(Map.of(1, Set.of(A)), told());
        assertEquals(0, acquire(B, PREEMPT, EXCLUSIVE_ACCESS, 2, 2), "the last ends its own registration");
        assertNull(state.type());
        assertEquals(Map.of(), state.keys());
    }

    @Test
    void shouldRefuseMoreRegistrantsThanItKeeps() {
        for (int i = 0; i < ReservationRules.MAX_REGISTRANTS; i++) {
            register(new UUID(1, i), 5);
        }
        assertEquals(Status.INTERNAL_ERROR, register(A, REGISTER, false, 0, 5));
        assertEquals(0, register(new UUID(1, 7), REPLACE, false, 5, 6), "those who are in may go on");
        assertEquals(Status.INTERNAL_ERROR, register(A, REPLACE, true, 0, 5));
    }
}
