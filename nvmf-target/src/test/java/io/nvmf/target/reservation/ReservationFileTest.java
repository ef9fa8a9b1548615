package io.nvmf.target.reservation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Crc32c;
import io.nvmf.codec.Status;
import io.nvmf.codec.reservation.ReservationCommand;
import io.nvmf.codec.reservation.ReservationKeys;
import io.nvmf.codec.reservation.ReservationType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReservationFileTest {
    private static final UUID NAMESPACE = new UUID(1, 2);
    private static final UUID A = new UUID(0, 0xA);
    private static final UUID B = new UUID(0, 0xB);
    private static final String FULL = """
            nvmf4j reservations 1
            namespace 00000000-0000-0001-0000-000000000002
            persistent true
            generation 4294967295
            reservation 3 00000000-0000-0000-0000-00000000000b
            registrant 00000000-0000-0000-0000-00000000000b fffffffffffffffe
            registrant 00000000-0000-0000-0000-00000000000a 0000000000000001
            """;

    @TempDir
    Path directory;

    private Path path;

    @BeforeEach
    void name() {
        path = directory.resolve("reservations");
    }

    /** Writes lines with the checksum that they should have. */
    private void write(String lines) throws IOException {
        byte[] bytes = lines.getBytes(StandardCharsets.US_ASCII);
        int crc = new Crc32c().of(bytes, 0, bytes.length);
        Files.writeString(path, lines + "crc32c " + HexFormat.of().toHexDigits(crc) + "\n");
    }

    private ReservationState load() throws IOException {
        return ReservationFile.open(path, NAMESPACE).saved();
    }

    private static ReservationState state() {
        return new ReservationState(
                0xFFFF_FFFFL, true, Map.of(A, 1L, B, -2L), ReservationType.WRITE_EXCLUSIVE_REGISTRANTS_ONLY, B);
    }

    @Test
    void shouldReadWhatIsThere() throws IOException {
        write(FULL);
        assertEquals(state(), load());
        assertEquals(List.of(B, A), List.copyOf(load().keys().keySet()), "in their order");
    }

    @Test
    void shouldReadWhatItHasWritten() throws IOException {
        ReservationFile file = ReservationFile.open(path, NAMESPACE);
        assertEquals(ReservationState.NONE, file.saved());
        assertEquals(ReservationState.NONE, load(), "it is there from the start");
        file.save(state());
        assertEquals(state(), load());
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
        ReservationState heldByAll =
                new ReservationState(0, true, Map.of(A, 5L), ReservationType.EXCLUSIVE_ACCESS_ALL_REGISTRANTS, null);
        file.save(heldByAll);
        assertEquals(heldByAll, load());
        try (var files = Files.list(directory)) {
            assertEquals(List.of(path), files.toList(), "nothing else is left");
        }
    }

    @Test
    void shouldNotMindWhatAnInterruptedWriteHasLeft() throws IOException {
        write(FULL);
        Files.writeString(directory.resolve("reservations.new"), "half");
        ReservationFile file = ReservationFile.open(path, NAMESPACE);
        file.save(ReservationState.NONE);
        assertEquals(ReservationState.NONE, load());
    }

    @Test
    void shouldRefuseAFileWithAnyByteChangedOrMissing() throws IOException {
        write(FULL);
        byte[] good = Files.readAllBytes(path);
        for (int i = 0; i < good.length; i++) {
            byte[] bad = good.clone();
            bad[i] ^= 4;
            Files.write(path, bad);
            String message =
                    assertThrows(IOException.class, this::load, "byte " + i).getMessage();
            assertTrue(message.startsWith(path + " is damaged, "), message);
            Files.write(path, java.util.Arrays.copyOf(good, i));
            assertThrows(IOException.class, this::load, "cut at " + i);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "reservation 3 00000000-0000-0000-0000-00000000000b/reservation 3 -",
                "reservation 3/reservation 5",
                "reservation 3/reservation 7",
                "reservation 3/reservation 0",
                "reservation 3/reservation x",
                "reservation 3 00000000-0000-0000-0000-00000000000b/reservation 3",
                "00000000000b fff/00000000000c fff",
                "0000000000000001/1",
                "registrant/stranger",
                "generation 4294967295/generation -1",
                "generation 4294967295/generation 4294967296",
                "namespace 00000000-0000-0001/namespace zz",
            })
    void shouldRefuseWhatCannotBe(String change) throws IOException {
        String[] fromTo = change.split("/");
        write(FULL.replace(fromTo[0], fromTo[1]));
        String message = assertThrows(IOException.class, this::load).getMessage();
        assertTrue(message.startsWith(path + " is damaged, "), message);
    }

    @Test
    void shouldRefuseTheFileOfAnotherNamespaceAndPlacesThatAreNone() throws IOException {
        write(FULL);
        IOException other = assertThrows(IOException.class, () -> ReservationFile.open(path, new UUID(1, 3)));
        assertTrue(other.getMessage().endsWith("name another file"), other.getMessage());
        Path nowhere = directory.resolve("no/reservations");
        IOException missing = assertThrows(IOException.class, () -> ReservationFile.open(nowhere, NAMESPACE));
        assertEquals("cannot keep reservations in " + nowhere + ": there is no such directory", missing.getMessage());
        assertThrows(IOException.class, () -> ReservationFile.open(directory, NAMESPACE));
    }

    private static int register(Reservations reservations, UUID host, int persistence) {
        return reservations
                .change(state -> ReservationRules.register(
                        state, host, ReservationCommand.REGISTER, false, persistence, new ReservationKeys(0, 7)))
                .join()
                .status();
    }

    @Test
    void shouldKeepWhatIsToPersistAndNothingElse() throws IOException {
        Reservations first = new Reservations(ReservationFile.open(path, NAMESPACE));
        assertTrue(first.canPersist());
        assertEquals(0, register(first, A, ReservationCommand.PERSISTENCE_UNCHANGED));
        assertEquals(ReservationState.NONE, load());
        assertEquals(0, register(first, B, ReservationCommand.PERSISTENCE_ON));
        assertEquals(first.state(), load());
        first.close();
        assertEquals(
                Status.NAMESPACE_NOT_READY,
                register(first, B, ReservationCommand.PERSISTENCE_UNCHANGED),
                "nothing after the end");
        Reservations second = new Reservations(ReservationFile.open(path, NAMESPACE));
        assertEquals(first.state(), second.state());
        second.persist(false).join();
        assertEquals(2, second.state().keys().size());
        assertEquals(ReservationState.NONE, load());
        second.close();
        assertFalse(new Reservations(null).canPersist());
    }

    @Test
    void shouldRefuseAChangeThatCannotBeKept() throws IOException {
        Path gone = Files.createDirectory(directory.resolve("gone"));
        Reservations reservations = new Reservations(ReservationFile.open(gone.resolve("r"), NAMESPACE));
        Files.delete(gone.resolve("r"));
        Files.delete(gone);
        assertEquals(Status.INTERNAL_ERROR, register(reservations, A, ReservationCommand.PERSISTENCE_ON));
        assertEquals(ReservationState.NONE, reservations.state());
        reservations.close();
    }
}
