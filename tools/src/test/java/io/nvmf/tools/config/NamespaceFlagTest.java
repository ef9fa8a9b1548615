package io.nvmf.tools.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.nvmf.codec.identify.Nguid;
import io.nvmf.target.backend.file.FileOptions;
import io.nvmf.tools.CommandException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NamespaceFlagTest {
    private static final String UUID_TEXT = "d592cdf3-5d1c-44e0-8412-3fcf7d99df27";
    private static final String NQN = "nqn.2026-01.com.example:disk";
    private static final String FORM = "; write it as file:/path[,size=10g][,block-size=512|4096][,direct]"
            + "[,read-only][,uuid=UUID][,nguid=HEX][,ptpl=/path] or memory:1g";

    @Test
    void shouldReadFileWithEverything() throws CommandException {
        String text = "file:/a/b.img,size=10g,block-size=512,direct,read-only,uuid=" + UUID_TEXT
                + ",nguid=00112233445566778899aabbccddeeff";
        assertEquals(
                new NamespacePlan(
                        3,
                        new Backing.InFile(Path.of("/a/b.img"), new FileOptions(10L << 30, true, true)),
                        OptionalInt.of(512),
                        Optional.of(UUID.fromString(UUID_TEXT)),
                        Optional.of(new Nguid(0x0011223344556677L, 0x8899AABBCCDDEEFFL))),
                NamespaceFlag.parse("--namespace", 3, text));
    }

    @Test
    void shouldReadWhereReservationsAreKept() throws CommandException {
        assertEquals(
                Optional.of(Path.of("/var/r")),
                NamespaceFlag.parse("--namespace", 1, "memory:1g,ptpl=/var/r").ptplFile());
        assertEquals(
                Optional.of(Path.of("r")),
                NamespaceFlag.parse("--namespace", 1, "file:/x,direct,ptpl=r").ptplFile());
        assertEquals(
                Optional.empty(),
                NamespaceFlag.parse("--namespace", 1, "file:/x").ptplFile());
    }

    @Test
    void shouldTakeExistingFileAsItIs() throws CommandException {
        assertEquals(
                new NamespacePlan(
                        1,
                        new Backing.InFile(Path.of("disk.img"), FileOptions.EXISTING),
                        OptionalInt.empty(),
                        Optional.empty(),
                        Optional.empty()),
                NamespaceFlag.parse("--namespace", 1, "file:disk.img"));
    }

    @Test
    void shouldReadMemoryInBothForms() throws CommandException {
        assertEquals(
                new Backing.InMemory(1 << 30),
                NamespaceFlag.parse("--namespace", 1, "memory:1g").backing());
        assertEquals(
                new Backing.InMemory(1 << 30),
                NamespaceFlag.parse("--namespace", 1, "memory:size=1g").backing());
        assertEquals(
                OptionalInt.of(512),
                NamespaceFlag.parse("--namespace", 1, "memory:1g,block-size=512")
                        .blockSizeBytes());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "disk:/x | is of no known kind",
                "file | names no file",
                "file: | names no file",
                "file:,size=1g | names no file",
                "memory | has no size",
                "memory:block-size=512 | has no size",
                "memory:1g,ptpl= | has no value for ptpl",
                "memory:1g,ptpl | has no value for ptpl",
                "file:/x,sise=1g | has an unknown part 'sise=1g'",
                "file:/x, | has an unknown part ''",
                "memory:1g,direct | has an unknown part 'direct'",
                "file:/x,direct=yes | has a value for direct, which takes none",
                "file:/x,size | has no value for size",
                "file:/x,size=1g,size=2g | has size twice",
                "memory:1g,size=1g | has size twice",
                "memory:0 | has size 0",
                "file:/x,block-size=1k | has block size 1k, it can be 512 or 4096",
                "file:/x,block-size=4g | has block size 4g, it can be 512 or 4096",
            })
    void shouldSayWhatIsWrong(String text, String problem) {
        CommandException e = assertThrows(CommandException.class, () -> NamespaceFlag.parse("--namespace", 1, text));
        assertEquals("--namespace " + text + " " + problem + FORM, e.getMessage());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "memory: | size of --namespace memory: '' is not a number of bytes, write it as 4096, 512k, 10m or 2g",
                "file:/x,uuid=1 | uuid of --namespace file:/x,uuid=1 '1' is no UUID, it looks like 7d444840-9dc0-11d1-b245-5ffdce74fad2",
                "file:/x,nguid=1 | nguid of --namespace file:/x,nguid=1: an NGUID has 32 hexadecimal digits, not '1'",
            })
    void shouldSayWhichValueIsWrong(String text, String sentence) {
        CommandException e = assertThrows(CommandException.class, () -> NamespaceFlag.parse("--namespace", 1, text));
        assertEquals(sentence, e.getMessage());
    }

    @Test
    void shouldDeriveSameIdentifiersForSameStorageOnly() throws CommandException {
        UUID uuid = NamespaceFlag.parse("--namespace", 1, "file:/a/b").uuid(NQN);
        assertEquals(UUID.fromString("72624949-11bf-3c60-96a7-c13eaaa3fbe0"), uuid);
        assertEquals(
                uuid,
                NamespaceFlag.parse("--namespace", 1, "file:/a/./b,size=1g,direct")
                        .uuid(NQN));
        assertNotEquals(uuid, NamespaceFlag.parse("--namespace", 2, "file:/a/b").uuid(NQN));
        assertNotEquals(uuid, NamespaceFlag.parse("--namespace", 1, "file:/a/c").uuid(NQN));
        assertNotEquals(uuid, NamespaceFlag.parse("--namespace", 1, "memory:1g").uuid(NQN));
        assertNotEquals(uuid, NamespaceFlag.parse("--namespace", 1, "file:/a/b").uuid(NQN + "2"));
        assertEquals(
                uuid.toString().replace("-", ""),
                NamespaceFlag.parse("--namespace", 1, "file:/a/b").nguid(NQN).toString());
    }

    @Test
    void shouldDeriveSameSerialForSameSubsystemOnly() {
        assertEquals("13d02de34e9f3d63", SubsystemPlan.derivedSerial(NQN));
        assertNotEquals(SubsystemPlan.derivedSerial(NQN), SubsystemPlan.derivedSerial(NQN + "2"));
    }
}
