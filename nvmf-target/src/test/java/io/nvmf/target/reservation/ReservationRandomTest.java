package io.nvmf.target.reservation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Status;
import io.nvmf.codec.reservation.ReservationKeys;
import io.nvmf.codec.reservation.ReservationType;
import io.nvmf.target.reservation.ReservationChange.Notice;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What holds whatever hosts do to each other. */
class ReservationRandomTest {
    private static final int ROUNDS = 50_000;
    private static final int HOSTS = 5;

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);

    private static UUID host(int number) {
        return new UUID(0, number);
    }

    /** Few keys, so that they are often right, shared, or 0. */
    private ReservationKeys keys() {
        return new ReservationKeys(random.nextInt(3), random.nextInt(3));
    }

    private ReservationChange change(ReservationState state, UUID host) {
        ReservationType type = ReservationType.of(1 + random.nextInt(6));
        return switch (random.nextInt(4)) {
            case 0 ->
                ReservationRules.register(
                        state, host, random.nextInt(3), random.nextInt(4) == 0, random.nextInt(8) == 0 ? 2 : 3, keys());
            case 1 -> ReservationRules.release(state, host, random.nextInt(8) == 0 ? 1 : 0, type, keys());
            case 2 -> ReservationRules.acquire(state, host, 0, type, keys());
            default ->
                ReservationRules.acquire(
                        state, host, 1 + random.nextInt(2), random.nextInt(4) == 0 ? null : type, keys());
        };
    }

    @Test
    void shouldNeverLeaveTheRulesWhateverHostsDo() {
        ReservationState state = ReservationState.NONE;
        int refused = 0;
        for (int round = 0; round < ROUNDS; round++) {
            String where = "seed " + seed + ", round " + round;
            UUID host = host(random.nextInt(HOSTS));
            ReservationChange change = change(state, host);
            if (change.status() != Status.SUCCESS) {
                refused++;
                continue;
            }
            checkTold(state, change, host, where);
            state = change.next();
            checkHolders(state, where);
        }
        assertTrue(refused > ROUNDS / 10 && refused < ROUNDS / 10 * 9, refused + " refused, seed " + seed);
    }

    private static void checkTold(ReservationState before, ReservationChange change, UUID host, String where) {
        Set<UUID> left = change.next().keys().keySet();
        assertFalse(change.preempted().contains(host), where);
        for (UUID preempted : change.preempted()) {
            assertTrue(before.keys().containsKey(preempted) && !left.contains(preempted), where);
        }
        for (Notice notice : change.notices()) {
            assertFalse(notice.hosts().contains(host), where);
            assertTrue(before.keys().keySet().containsAll(notice.hosts()), where);
        }
        for (UUID lost : before.keys().keySet()) {
            boolean told =
                    change.notices().stream().anyMatch(notice -> notice.hosts().contains(lost));
            assertTrue(left.contains(lost) || lost.equals(host) || told, where + ": a host is not told what it lost");
        }
    }

    private static void checkHolders(ReservationState state, String where) {
        ReservationType type = state.type();
        int holders = 0;
        for (int number = 0; number < HOSTS; number++) {
            UUID host = host(number);
            boolean holds = state.isHeldBy(host);
            holders += holds ? 1 : 0;
            assertTrue(!holds || state.keys().containsKey(host), where);
            assertFalse(holds && (state.excludes(host, true) || state.excludes(host, false)), where);
            assertTrue(!state.excludes(host, false) || state.excludes(host, true), where + ": who writes may read");
        }
        int expected =
                type == null ? 0 : type.isHeldByAllRegistrants() ? state.keys().size() : 1;
        assertEquals(expected, holders, where);
        assertTrue(type == null || holders > 0, where);
        assertFalse(state.keys().containsValue(0L), where);
    }
}
