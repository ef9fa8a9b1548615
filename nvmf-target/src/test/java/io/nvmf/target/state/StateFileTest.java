package io.nvmf.target.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Crc32c;
import io.nvmf.codec.reservation.ReservationType;
import io.nvmf.target.reservation.ReservationRules;
import io.nvmf.target.reservation.ReservationState;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StateFileTest {
    private static final UUID NAMESPACE = new UUID(1, 2);
    private static final UUID A = new UUID(0, 0xA);
    private static final UUID B = new UUID(0, 0xB);
    private static final String FULL = """
            nvmf4j namespace state 1
            namespace 00000000-0000-0001-0000-000000000002
            persistent true
            generation 4294967295
            reservation 3 00000000-0000-0000-0000-00000000000b
            write-protected true
            registrant 00000000-0000-0000-0000-00000000000b fffffffffffffffe
            registrant 00000000-0000-0000-0000-00000000000a 0000000000000001
            bad-blocks 7 9
            bad-blocks 10 9223372036854775807
            """;
    /** As it was before there was more to keep. */
    private static final String RESERVATIONS = """
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
        path = directory.resolve("state");
    }

    /** Writes lines with the checksum that they should have. */
    private void write(String lines) throws IOException {
        byte[] bytes = lines.getBytes(StandardCharsets.US_ASCII);
        int crc = new Crc32c().of(bytes, 0, bytes.length);
        Files.writeString(path, lines + "crc32c " + HexFormat.of().toHexDigits(crc) + "\n");
    }

    private NamespaceState load() throws IOException {
        try (StateFile file = StateFile.open(path, NAMESPACE)) {
            return file.saved();
        }
    }

    private static ReservationState reservations() {
        return new ReservationState(
                0xFFFF_FFFFL, true, Map.of(A, 1L, B, -2L), ReservationType.WRITE_EXCLUSIVE_REGISTRANTS_ONLY, B);
    }

    private static NamespaceState state() {
        return new NamespaceState(
                reservations(), true, List.of(new BlockSpan(7, 9), new BlockSpan(10, Long.MAX_VALUE)));
    }

    @Test
    void shouldReadWhatIsThere() throws IOException {
        write(FULL);
        assertEquals(state(), load());
        assertEquals(List.of(B, A), List.copyOf(load().reservations().keys().keySet()), "in their order");
    }

    @Test
    void shouldReadAFileOfReservationsAlone() throws IOException {
        write(RESERVATIONS);
        assertEquals(new NamespaceState(reservations(), false, List.of()), load());
    }

    @Test
    void shouldReadWhatItHasWrittenAndBeThereOnlyWhileThereIsSomething() throws IOException {
        NamespaceState heldByAll = NamespaceState.NONE.withReservations(
                new ReservationState(0, true, Map.of(A, 5L), ReservationType.EXCLUSIVE_ACCESS_ALL_REGISTRANTS, null));
        try (StateFile file = StateFile.open(path, NAMESPACE)) {
            assertEquals(NamespaceState.NONE, file.saved());
            assertFalse(Files.exists(path));
            file.save(state());
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
        }
        assertEquals(state(), load());
        try (StateFile file = StateFile.open(path, NAMESPACE)) {
            file.save(heldByAll);
        }
        assertEquals(heldByAll, load());
        try (var files = Files.list(directory)) {
            assertEquals(List.of(path), files.toList(), "nothing else is left");
        }
        try (StateFile file = StateFile.open(path, NAMESPACE)) {
            file.save(NamespaceState.NONE);
            assertFalse(Files.exists(path));
            file.save(state());
        }
        assertEquals(state(), load());
    }

    @Test
    void shouldKeepAsMuchAsThereMayBe() throws IOException {
        List<BlockSpan> bad = LongStream.range(0, NamespaceState.MAX_BAD_SPANS)
                .mapToObj(i -> new BlockSpan(Long.MAX_VALUE - 3 - 3 * i, Long.MAX_VALUE - 1 - 3 * i))
                .sorted(Comparator.comparingLong(BlockSpan::start))
                .toList();
        Map<UUID, Long> keys = LongStream.range(0, ReservationRules.MAX_REGISTRANTS)
                .boxed()
                .collect(Collectors.toMap(i -> new UUID(i, i), i -> -1L - i));
        NamespaceState most = new NamespaceState(new ReservationState(1, true, keys, null, null), true, bad);
        try (StateFile file = StateFile.open(path, NAMESPACE)) {
            file.save(most);
        }
        assertEquals(most, load());
    }

    @Test
    void shouldLeaveFilesAloneThatHaveNamesLikeItsOwn() throws IOException {
        write(FULL);
        Path image = Files.writeString(directory.resolve("state.new"), "an image");
        try (StateFile file = StateFile.open(path, NAMESPACE)) {
            file.save(NamespaceState.NONE.withWriteProtected(true));
        }
        assertEquals(NamespaceState.NONE.withWriteProtected(true), load());
        assertEquals("an image", Files.readString(image));
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
            boolean isHeader = i < FULL.indexOf('\n') + 1;
            assertTrue(message.startsWith(path + (isHeader ? " " : " is damaged, ")), message);
            assertEquals(isHeader, message.endsWith("name another file"), message);
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
                "bad-blocks 7 9/bad-blocks 7 10",
                "bad-blocks 7 9/bad-blocks 11 12",
                "bad-blocks 7 9/bad-blocks 9 7",
                "bad-blocks 7 9/bad-blocks -1 7",
                "bad-blocks 7 9/bad-blocks 7",
                "bad-blocks 7 9/bad-blocks 7 9 2",
                "bad-blocks 7 9/registrant 00000000-0000-0000-0000-00000000000c 0000000000000001\nbad-blocks 7 9\n"
                        + "registrant 00000000-0000-0000-0000-00000000000d 0000000000000001",
                "9223372036854775807/9223372036854775808",
                "write-protected true/write-protected yes",
                "persistent true/persistent 1",
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

    private String refusal(Path place) {
        return assertThrows(IOException.class, () -> StateFile.open(place, NAMESPACE))
                .getMessage();
    }

    @Test
    void shouldRefuseTheFileOfAnotherNamespaceAndPlacesThatAreNone() throws IOException {
        write(FULL.replace("000000000002", "000000000003"));
        assertTrue(refusal(path).endsWith("give the namespace that UUID, or name another file"), refusal(path));
        Path nowhere = directory.resolve("no/state");
        assertEquals(
                "cannot keep the state of a namespace in " + nowhere + ": there is no such directory",
                refusal(nowhere));
        Path link = Files.createSymbolicLink(directory.resolve("link"), nowhere);
        assertEquals("cannot keep the state of a namespace in " + link + ": there is no such directory", refusal(link));
        assertEquals(directory + " is no regular file: name another file", refusal(directory));
        assertEquals("/dev/zero is no regular file: name another file", refusal(Path.of("/dev/zero")));
        Path image = Files.write(directory.resolve("image"), new byte[4096]);
        assertEquals(image + " keeps no state of a namespace: name another file", refusal(image));
        Path large = Files.write(directory.resolve("large"), new byte[2 << 20]);
        assertEquals(large + " has 2097152 bytes and keeps no state of a namespace: name another file", refusal(large));
        write(FULL.replace("state 1", "state 2"));
        assertEquals(path + " is of a version that is not known here: name another file", refusal(path));
    }

    @Test
    void shouldRefuseAPlaceThatIsInUseHoweverItIsNamed() throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("link"), directory);
        String inUse = " keeps the state of another namespace already: name another file";
        StateFile first = StateFile.open(path, NAMESPACE);
        assertEquals(path + inUse, refusal(path));
        assertEquals(link.resolve("state") + inUse, refusal(link.resolve("state")), "before there is a file");
        first.save(state());
        assertEquals(link.resolve("state") + inUse, refusal(link.resolve("state")));
        Path second = Files.createSymbolicLink(directory.resolve("second"), path);
        assertEquals(second + inUse, refusal(second));
        first.close();
        StateFile.open(second, NAMESPACE).close();
        Files.writeString(path, "damaged");
        refusal(path);
        write(FULL);
        StateFile.open(path, NAMESPACE).close();
    }

    @Test
    void shouldNotReplaceWhatSomebodyElseHasPutThere() throws IOException {
        try (StateFile file = StateFile.open(path, NAMESPACE)) {
            Files.writeString(path, "an image");
            assertThrows(IOException.class, () -> file.save(state()));
            assertEquals(NamespaceState.NONE, file.saved());
            assertEquals("an image", Files.readString(path));
            try (var files = Files.list(directory)) {
                assertEquals(List.of(path), files.toList(), "nothing else is left");
            }
        }
    }

    @Test
    void shouldNotReplaceWhatAnotherTargetHasKeptMeanwhile() throws IOException {
        write(FULL);
        try (StateFile file = StateFile.open(path, NAMESPACE)) {
            // As another process would: it has read the same, and replaces the file by its own.
            Path others = Files.writeString(directory.resolve("others"), Files.readString(path));
            Files.move(others, path, StandardCopyOption.REPLACE_EXISTING);
            String kept = Files.readString(path);
            assertThrows(IOException.class, () -> file.save(NamespaceState.NONE));
            assertThrows(IOException.class, () -> file.save(NamespaceState.NONE.withWriteProtected(true)));
            assertEquals(kept, Files.readString(path));
        }
    }

    // ---- beside an image

    private StateFile beside(Path image, boolean readOnly) throws IOException {
        return StateFile.openBeside(image, readOnly, NAMESPACE);
    }

    @Test
    void shouldLieBesideTheImageWhateverLinkLeadsThere() throws IOException {
        Path image = Files.createFile(directory.resolve("disk.img")).toRealPath();
        Path link = Files.createSymbolicLink(directory.resolve("link.img"), image);
        try (StateFile file = beside(link, false)) {
            assertEquals(image.resolveSibling("disk.img.nvmf-state"), file.path());
            file.save(state());
        }
        try (StateFile file = beside(image, true)) {
            assertEquals(state(), file.saved(), "what is there counts for who only reads, too");
        }
    }

    @Test
    void shouldNotLieWhereItCouldNotLast() throws IOException {
        Path image = Files.createFile(directory.resolve("disk.img"));
        assertNull(beside(image, true), "readers share an image");
        assertNull(beside(Path.of("/dev/null"), false), "what is not in a file system");
    }

    @Test
    void shouldNotLieInADirectoryThatMayNotBeWritten() throws IOException {
        Path locked = Files.createDirectory(directory.resolve("locked"));
        Path image = Files.createFile(locked.resolve("disk.img"));
        Files.setPosixFilePermissions(locked, PosixFilePermissions.fromString("r-xr-xr-x"));
        try {
            Assumptions.assumeFalse(Files.isWritable(locked), "nobody is kept from anything");
            assertNull(beside(image, false));
            assertTrue(refusal(locked.resolve("state")).endsWith("permission denied"));
        } finally {
            Files.setPosixFilePermissions(locked, PosixFilePermissions.fromString("rwx------"));
        }
    }
}
