package io.nvmf.target.backend.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import jnr.ffi.LibraryLoader;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every way in which a file cannot be opened ends in one sentence that says what to do. */
class FileOpeningTest {
    private static final long SIZE = 1 << 20;
    private static final FileOptions SIZED = FileOptions.EXISTING.withSizeBytes(SIZE);
    private static final int NOBODY = 65_534;

    /** The identity that the calling thread alone has towards file systems. */
    public interface Identity {
        int setfsuid(int uid);
    }

    @TempDir
    Path directory;

    @Test
    void shouldSayThatAMissingFileNeedsASize() {
        assertRefused(image(), FileOptions.EXISTING, image() + " does not exist: give a size to create it");
    }

    @Test
    void shouldSayThatAMissingFileCannotBeCreatedReadOnly() {
        assertRefused(image(), SIZED.withReadOnly(true), image() + " does not exist: it cannot be created read-only");
        assertFalse(Files.exists(image()));
    }

    @Test
    void shouldSayThatTheDirectoryIsMissing() {
        Path path = directory.resolve("absent/image");
        assertRefused(path, SIZED, path + " cannot be created: make its directory first");
    }

    @Test
    void shouldSayThatTheParentIsNoDirectory() throws IOException {
        Files.write(image(), new byte[4096]);
        Path path = image().resolve("image");
        assertRefused(path, SIZED, path + " cannot be created: a part of its path is no directory, name another");
    }

    @Test
    void shouldSayThatTheFileHasAnotherSizeAndLeaveItAlone() throws IOException {
        for (int length : new int[] {0, 4096, (int) SIZE - 1, (int) SIZE + 512}) {
            byte[] bytes = new byte[length];
            Arrays.fill(bytes, (byte) 7);
            Files.write(image(), bytes);
            assertRefused(
                    image(),
                    SIZED,
                    image() + " is " + length + " bytes long, not the " + SIZE
                            + " asked for: leave the size out to use it as it is, or name another file");
            assertArrayEquals(bytes, Files.readAllBytes(image()));
        }
    }

    @Test
    void shouldSayThatTheFileIsTooShort() throws IOException {
        Files.write(image(), new byte[511]);
        assertRefused(
                image(),
                FileOptions.EXISTING,
                image() + " is too short, 511 bytes: it must hold at least one block of 512 bytes");
    }

    @Test
    void shouldSayThatTheSizeIsNotWholeBlocks() {
        assertRefused(
                image(),
                FileOptions.EXISTING.withSizeBytes(1000),
                "The size of " + image() + " must be a multiple of 512 bytes: 1000 is not");
        assertRefused(
                image(),
                FileOptions.EXISTING.withSizeBytes(512).withDirect(true),
                "The size of " + image() + " must be a multiple of 4096 bytes: 512 is not");
        assertFalse(Files.exists(image()));
    }

    @Test
    void shouldSayThatTheFileSystemCannotHoldTheSizeAndLeaveNothingBehind() {
        long most = Long.MAX_VALUE / 4096 * 4096;
        IOException e;
        try {
            FileBlockDevice.open(image(), FileOptions.EXISTING.withSizeBytes(most))
                    .close();
            Assumptions.abort("this file system holds files of any size");
            return;
        } catch (IOException expected) {
            e = expected;
        }
        assertTrue(e.getMessage().startsWith(image() + " cannot be made " + most + " bytes long ("), e.getMessage());
        assertTrue(e.getMessage().endsWith("): give a smaller size or another file system"), e.getMessage());
        assertFalse(Files.exists(image()));
    }

    @Test
    void shouldSayThatItIsNeitherFileNorDisk() {
        for (Path path : List.of(directory, Path.of("/dev/null"))) {
            assertRefused(
                    path,
                    FileOptions.EXISTING,
                    path + " is neither a regular file nor a block device: name an image file or a disk");
        }
    }

    @Test
    void shouldSayThatAnotherHoldsTheFile() throws IOException {
        FileBlockDevice.open(image(), SIZED).close();
        try (FileBlockDevice holder = FileBlockDevice.open(image(), FileOptions.EXISTING)) {
            assertRefused(image(), FileOptions.EXISTING, inUse());
            assertRefused(image(), FileOptions.EXISTING.withReadOnly(true), inUse());
            assertEquals(SIZE, holder.sizeBytes());
        }
        FileBlockDevice.open(image(), FileOptions.EXISTING).close();
    }

    @Test
    void shouldSayThatAnotherProcessHoldsTheFile() throws Exception {
        FileBlockDevice.open(image(), SIZED).close();
        Process holder;
        try {
            holder = new ProcessBuilder("flock", "-n", image().toString(), "cat").start();
        } catch (IOException e) {
            Assumptions.abort("flock(1) is not installed");
            return;
        }
        try {
            Awaitility.await()
                    .atMost(Duration.ofSeconds(20))
                    .untilAsserted(() -> assertRefused(image(), FileOptions.EXISTING, inUse()));
        } finally {
            holder.getOutputStream().close();
            holder.waitFor();
        }
        FileBlockDevice.open(image(), FileOptions.EXISTING).close();
    }

    @Test
    void shouldSayThatPermissionIsMissing() throws IOException {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.write(image(), new byte[(int) SIZE]);
        Files.setPosixFilePermissions(image(), PosixFilePermissions.fromString("---------"));
        asNobodySpecial(() -> {
            assertRefused(
                    image(),
                    FileOptions.EXISTING,
                    image() + " may not be opened for reading and writing: change its permissions or run as a user who"
                            + " may, or ask for read-only");
            assertRefused(
                    image(),
                    FileOptions.EXISTING.withReadOnly(true),
                    image() + " may not be opened for reading: change its permissions or run as a user who may");
        });
    }

    @Test
    void shouldSayThatTheDirectoryMayNotBeEntered() throws IOException {
        Path inner = Files.createDirectory(directory.resolve("inner"));
        Path path = inner.resolve("image");
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(inner, PosixFilePermissions.fromString("---------"));
        asNobodySpecial(() -> assertRefused(
                path,
                SIZED,
                path + " may not be opened for reading and writing: change its permissions or run as a user who may,"
                        + " or ask for read-only"));
        Files.setPosixFilePermissions(inner, PosixFilePermissions.fromString("rwx------"));
    }

    @Test
    void shouldSayThatTheFileSystemIsReadOnly() throws Exception {
        Mount.withTmpfs(directory, "size=4m", () -> {
            Files.write(image(), new byte[(int) SIZE]);
            Mount.remountReadOnly(directory);
            assertRefused(
                    image(),
                    FileOptions.EXISTING,
                    image() + " lies on a read-only file system: ask for read-only or use another place");
            FileBlockDevice.open(image(), FileOptions.EXISTING.withReadOnly(true))
                    .close();
        });
    }

    @Test
    void shouldSayThatTheFileSystemKnowsNoDirectIo() throws Exception {
        Mount.withRamfs(directory, () -> {
            Files.write(image(), new byte[(int) SIZE]);
            assertRefused(
                    image(),
                    FileOptions.EXISTING.withDirect(true),
                    image() + " cannot be opened: its file system knows no direct I/O, leave that out");
        });
    }

    @Test
    void shouldRefuseChannelsOnceClosed() throws IOException {
        FileBlockDevice device = FileBlockDevice.open(image(), SIZED);
        device.close();
        device.close();
        IOException e = assertThrows(IOException.class, () -> device.openChannel(null));
        assertEquals("file:" + image() + " is closed", e.getMessage());
    }

    private Path image() {
        return directory.resolve("image");
    }

    private String inUse() {
        return image() + " is in use by another target or namespace: stop that one first";
    }

    private static IOException refusal(Path path, FileOptions options) {
        return assertThrows(
                IOException.class, () -> FileBlockDevice.open(path, options).close());
    }

    private static void assertRefused(Path path, FileOptions options, String sentence) {
        assertEquals(sentence, refusal(path, options).getMessage());
    }

    /** Root may open everything, so this thread gives up being root for a while. */
    private static void asNobodySpecial(Runnable body) {
        Identity identity = LibraryLoader.create(Identity.class).load("c");
        int before = identity.setfsuid(NOBODY);
        try {
            body.run();
        } finally {
            identity.setfsuid(before);
        }
    }

    @Test
    void shouldRemoveOnlyWhatItHasCreatedWhenDiscarded() throws IOException {
        Path created = directory.resolve("created");
        FileBlockDevice.open(created, FileOptions.EXISTING.withSizeBytes(8192)).discard();
        assertFalse(Files.exists(created));
        Path existing = Files.write(directory.resolve("existing"), new byte[8192]);
        FileBlockDevice.open(existing, FileOptions.EXISTING.withSizeBytes(8192)).discard();
        assertEquals(8192, Files.size(existing));
        FileBlockDevice.open(existing, FileOptions.EXISTING).close();
    }
}
