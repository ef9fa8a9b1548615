package io.nvmf.target.namespace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Status;
import io.nvmf.codec.reservation.ReservationCommand;
import io.nvmf.codec.reservation.ReservationKeys;
import io.nvmf.target.reservation.ReservationRules;
import io.nvmf.target.reservation.ReservationState;
import io.nvmf.target.state.NamespaceState;
import io.nvmf.target.state.StateFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What hosts change is kept, or nothing changes. */
class KeptStateTest {
    private static final UUID NAMESPACE = new UUID(1, 2);
    private static final UUID A = new UUID(0, 0xA);
    private static final UUID B = new UUID(0, 0xB);

    @TempDir
    Path directory;

    private Path place;
    private KeptState kept;
    private Reservations reservations;
    private WriteProtection protection;
    private BadBlocks badBlocks;

    @BeforeEach
    void open() throws IOException {
        place = directory.resolve("place");
        Files.createDirectory(place);
        use(StateFile.open(place.resolve("state"), NAMESPACE));
    }

    private void use(StateFile file) {
        kept = new KeptState(file);
        reservations = new Reservations(kept);
        protection = new WriteProtection(kept, kept.canSave());
        badBlocks = new BadBlocks(kept);
    }

    private void reopen() throws IOException {
        kept.close();
        use(StateFile.open(place.resolve("state"), NAMESPACE));
    }

    @AfterEach
    void close() {
        kept.close();
    }

    private int register(UUID host, int persistence) {
        return reservations
                .change(state -> ReservationRules.register(
                        state, host, ReservationCommand.REGISTER, false, persistence, new ReservationKeys(0, 7)))
                .join()
                .status();
    }

    private int protect(int state) {
        return protection.change(state).join().status();
    }

    @Test
    void shouldKeepReservationsThatAreToPersistAndNoOthers() throws IOException {
        assertTrue(reservations.canPersist());
        assertEquals(0, register(A, ReservationCommand.PERSISTENCE_UNCHANGED));
        assertEquals(NamespaceState.NONE, kept.atStart());
        assertEquals(0, register(B, ReservationCommand.PERSISTENCE_ON));
        ReservationState state = reservations.state();
        assertEquals(2, state.keys().size());
        reopen();
        assertEquals(state, reservations.state());
        reservations.persist(false).join();
        assertEquals(2, reservations.state().keys().size());
        reopen();
        assertEquals(ReservationState.NONE, reservations.state());
    }

    @Test
    void shouldKeepAProtectionButNotOneThatIsThereUntilThePowerGoes() throws IOException {
        assertEquals(
                new WriteProtection.Change(0, true),
                protection.change(WriteProtection.PROTECTED).join());
        assertEquals(
                new WriteProtection.Change(0, false),
                protection.change(WriteProtection.PROTECTED).join());
        reopen();
        assertEquals(WriteProtection.PROTECTED, protection.state());
        assertEquals(0, protect(WriteProtection.UNTIL_POWER_CYCLE));
        assertEquals(Status.FEATURE_NOT_CHANGEABLE, protect(WriteProtection.PROTECTED));
        reopen();
        assertEquals(WriteProtection.NONE, protection.state());
    }

    @Test
    void shouldKeepBadBlocksUntilTheyAreWritten() throws IOException {
        assertEquals(0, badBlocks.mark(5, 9).join());
        reopen();
        assertTrue(badBlocks.overlap(5, 6));
        assertFalse(badBlocks.overlap(0, 5) || badBlocks.overlap(9, 99));
        badBlocks.clear(6, 7).join();
        reopen();
        assertTrue(badBlocks.overlap(5, 6) && badBlocks.overlap(7, 8));
        assertFalse(badBlocks.overlap(6, 7));
        badBlocks.clear(0, 99).join();
        reopen();
        assertFalse(badBlocks.overlap(0, 99));
        assertFalse(Files.exists(place.resolve("state")));
    }

    @Test
    void shouldKeepAllOfItTogether() throws IOException {
        badBlocks.mark(5, 9).join();
        register(A, ReservationCommand.PERSISTENCE_ON);
        protect(WriteProtection.PROTECTED);
        reopen();
        assertTrue(badBlocks.overlap(5, 6) && protection.isOn());
        assertEquals(1, reservations.state().keys().size());
    }

    @Test
    void shouldChangeNothingThatCannotBeKept() throws IOException {
        assertEquals(0, badBlocks.mark(5, 9).join());
        Files.delete(place.resolve("state"));
        Files.delete(place);
        ReservationState before = reservations.state();
        assertEquals(Status.INTERNAL_ERROR, register(A, ReservationCommand.PERSISTENCE_ON));
        assertEquals(before, reservations.state());
        assertEquals(Status.INTERNAL_ERROR, protect(WriteProtection.PROTECTED));
        assertFalse(protection.isOn());
        assertEquals(Status.INTERNAL_ERROR, badBlocks.mark(20, 21).join());
        assertFalse(badBlocks.overlap(20, 21));
        assertEquals(Status.INTERNAL_ERROR, badBlocks.clear(5, 9).join());
        assertTrue(badBlocks.overlap(5, 9));
        assertEquals(0, register(A, ReservationCommand.PERSISTENCE_UNCHANGED), "which nobody wants to be kept");
    }

    @Test
    void shouldChangeNothingAfterTheEnd() {
        kept.close();
        assertEquals(Status.NAMESPACE_NOT_READY, register(A, ReservationCommand.PERSISTENCE_UNCHANGED));
        assertEquals(Status.NAMESPACE_NOT_READY, protect(WriteProtection.PROTECTED));
        assertEquals(Status.NAMESPACE_NOT_READY, badBlocks.mark(0, 1).join());
    }

    @Test
    void shouldSayThatNothingPersistsWhereThereIsNoFile() {
        kept.close();
        use(null);
        assertFalse(reservations.canPersist());
        assertEquals(Status.INVALID_FIELD, protect(WriteProtection.PROTECTED), "the blocks would outlive it");
        assertEquals(0, protect(WriteProtection.UNTIL_POWER_CYCLE));
        assertEquals(
                0,
                new WriteProtection(kept, true)
                        .change(WriteProtection.PROTECTED)
                        .join()
                        .status());
    }
}
