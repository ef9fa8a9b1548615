package io.nvmf.target.backend.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.nvmf.target.backend.BlockError;
import io.nvmf.target.backend.LoopClient;
import io.nvmf.target.backend.TestBuffers;
import io.nvmf.transport.EventLoops;
import io.nvmf.transport.EventLoops.Kind;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a file does beyond the contract: keeps its data, gives space back, and meets its file system's limits. */
class FileBlockDeviceTest {
    private static final int MIB = 1 << 20;

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(Kind.class)
    void shouldKeepItsDataWhenOpenedAgain(Kind kind) throws Exception {
        byte[] bytes = TestBuffers.randomBytes(new Random(1), 65_536);
        withClient(kind, image(), FileOptions.EXISTING.withSizeBytes(MIB), client -> client.write(4096, bytes));

        assertEquals(MIB, Files.size(image()));
        byte[] stored = Files.readAllBytes(image());
        assertArrayEquals(bytes, Arrays.copyOfRange(stored, 4096, 4096 + bytes.length));
        withClient(
                kind,
                image(),
                FileOptions.EXISTING,
                client -> assertArrayEquals(bytes, client.read(4096, bytes.length)));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void shouldTakeSpaceOnlyForDataAndGiveItBack(Kind kind) throws Exception {
        withClient(kind, image(), FileOptions.EXISTING.withSizeBytes(64 * MIB), client -> {
            long empty = allocatedBytes(image());
            assertTrue(empty < MIB, empty + " bytes allocated for nothing");

            client.write(8 * MIB, TestBuffers.randomBytes(new Random(2), 4 * MIB));
            client.flush();
            assertTrue(allocatedBytes(image()) >= empty + 4 * MIB);

            client.deallocate(8 * MIB, 2 * MIB);
            client.writeZeroes(10 * MIB, 2 * MIB, true, true);
            client.flush();
            long left = allocatedBytes(image());
            assertTrue(left < empty + MIB, left + " bytes still allocated");
        });
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void shouldKeepTheSpaceOfZerosThatMayNotBeDeallocated(Kind kind) throws Exception {
        String fileSystem = Files.getFileStore(directory).type();
        Assumptions.assumeFalse(fileSystem.equals("tmpfs"), "tmpfs makes zeros by holes alone");
        withClient(kind, image(), FileOptions.EXISTING.withSizeBytes(16 * MIB), client -> {
            client.write(0, TestBuffers.randomBytes(new Random(2), 4 * MIB));
            client.writeZeroes(0, 4 * MIB, false, true);
            assertArrayEquals(new byte[4 * MIB], client.read(0, 4 * MIB));
            assertTrue(allocatedBytes(image()) >= 4 * MIB, allocatedBytes(image()) + " bytes left");
        });
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void shouldZeroRangesOnAFileSystemWithoutFallocate(Kind kind) throws Exception {
        Mount.withRamfs(directory, () -> {
            withClient(kind, image(), FileOptions.EXISTING.withSizeBytes(8 * MIB), client -> {
                byte[] bytes = TestBuffers.randomBytes(new Random(3), 5 * MIB);
                client.write(0, bytes);
                client.deallocate(512, 2 * MIB + 512);
                client.writeZeroes(3 * MIB, MIB, false, true);
                client.writeZeroes(4 * MIB + 512, 512, true, false);
                Arrays.fill(bytes, 512, 2 * MIB + 1024, (byte) 0);
                Arrays.fill(bytes, 3 * MIB, 4 * MIB, (byte) 0);
                Arrays.fill(bytes, 4 * MIB + 512, 4 * MIB + 1024, (byte) 0);
                assertArrayEquals(bytes, client.read(0, bytes.length));
            });
        });
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void shouldAnswerNoSpaceAndKeepEarlierDataWhenTheDiskIsFull(Kind kind) throws Exception {
        Mount.withTmpfs(directory, "size=2m", () -> {
            withClient(kind, image(), FileOptions.EXISTING.withSizeBytes(16 * MIB), client -> {
                byte[] earlier = TestBuffers.randomBytes(new Random(4), MIB);
                client.write(0, earlier);

                byte[] tooMuch = TestBuffers.randomBytes(new Random(5), 4 * MIB);
                assertEquals(BlockError.NO_SPACE, client.write(4 * MIB, tooMuch, false));
                assertEquals(BlockError.NO_SPACE, client.write(8 * MIB, new byte[4096], true));
                assertArrayEquals(earlier, client.read(0, MIB));
                client.flush();

                client.deallocate(4 * MIB, 4 * MIB);
                client.write(8 * MIB, new byte[4096]);
                assertArrayEquals(earlier, client.read(0, MIB));
            });
        });
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void shouldAnswerReadErrorWhenTheFileWasCutUnderneath(Kind kind) throws Exception {
        withClient(kind, image(), FileOptions.EXISTING.withSizeBytes(MIB), client -> {
            try (FileChannel file = FileChannel.open(image(), StandardOpenOption.WRITE)) {
                file.truncate(10_000);
            }
            ByteBuf buffer = TestBuffers.allocate(65_536);
            assertEquals(BlockError.READ_ERROR, client.call((c, done) -> c.read(0, buffer, 0, 65_536, done)));
            assertEquals(BlockError.READ_ERROR, client.call((c, done) -> c.read(65_536, buffer, 0, 512, done)));
            assertEquals(BlockError.NONE, client.call((c, done) -> c.read(0, buffer, 0, 8192, done)));
            buffer.release();
        });
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void shouldRefuseEveryChangeWhenReadOnly(Kind kind) throws Exception {
        byte[] bytes = TestBuffers.randomBytes(new Random(6), MIB);
        Files.write(image(), bytes);
        withClient(kind, image(), FileOptions.EXISTING.withReadOnly(true), client -> {
            assertEquals(BlockError.READ_ONLY, client.write(0, new byte[512], false));
            assertEquals(BlockError.READ_ONLY, client.call((c, done) -> c.deallocate(0, 512, done)));
            assertEquals(BlockError.READ_ONLY, client.call((c, done) -> c.writeZeroes(0, 512, true, true, done)));
            client.flush();
            assertArrayEquals(bytes, client.read(0, MIB));
        });
        assertArrayEquals(bytes, Files.readAllBytes(image()));
    }

    @Test
    void shouldLetReadersShareAFile() throws Exception {
        Files.write(image(), new byte[MIB]);
        FileOptions readOnly = FileOptions.EXISTING.withReadOnly(true);
        try (FileBlockDevice first = FileBlockDevice.open(image(), readOnly);
                FileBlockDevice second = FileBlockDevice.open(image(), readOnly)) {
            assertTrue(first.isReadOnly() && second.isReadOnly());
        }
    }

    @Test
    void shouldLeaveOutTheTailThatMakesNoBlock() throws Exception {
        Files.write(image(), new byte[10_000]);
        try (FileBlockDevice device = FileBlockDevice.open(image(), FileOptions.EXISTING)) {
            assertEquals(9728, device.sizeBytes());
            assertEquals(1, device.alignmentBytes());
        }
        assertEquals(10_000, Files.size(image()));
    }

    @Test
    void shouldCreateTheFileForItsOwnerAlone() throws Exception {
        FileBlockDevice.open(image(), FileOptions.EXISTING.withSizeBytes(MIB)).close();
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(image())));
    }

    @Test
    void shouldDescribeItself() throws Exception {
        Files.write(image(), new byte[MIB]);
        try (FileBlockDevice device = FileBlockDevice.open(image(), FileOptions.EXISTING.withReadOnly(true))) {
            assertEquals("file:" + image() + " (read-only)", device.description());
            assertTrue(device.hasVolatileWriteCache());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void shouldHoldTheFileUntilItsLastChannelHasEnded(Kind kind) throws Exception {
        Assumptions.assumeTrue(kind.isAvailable());
        try (EventLoops loops = EventLoops.open(kind, 1, "test")) {
            FileBlockDevice device = FileBlockDevice.open(image(), FileOptions.EXISTING.withSizeBytes(16 * MIB));
            LoopClient client = new LoopClient(device, loops.next());
            ByteBuf buffer = TestBuffers.allocate(8 * MIB);
            CompletableFuture<BlockError> outcome =
                    client.begin((c, done) -> c.write(0, buffer, 0, 8 * MIB, true, done));
            client.loop.execute(client.channel::close);
            device.close();
            assertEquals(BlockError.NONE, LoopClient.await(outcome));
            buffer.release();
            FileBlockDevice.open(image(), FileOptions.EXISTING).close();
        }
    }

    @Test
    void shouldGiveTheFileBackWhenTheRingOfAnIdleChannelEnds() throws Exception {
        Assumptions.assumeTrue(Kind.IO_URING.isAvailable(), "io_uring cannot run here");
        FileBlockDevice device = FileBlockDevice.open(image(), FileOptions.EXISTING.withSizeBytes(MIB));
        try (EventLoops loops = EventLoops.open(Kind.IO_URING, 1, "test")) {
            new LoopClient(device, loops.next()).write(0, new byte[512]);
        }
        device.close();
        FileBlockDevice.open(image(), FileOptions.EXISTING).close();
    }

    @Test
    void shouldBeShorterBeforeItsFileIsCutAndLongerWhenItHasBeenExtended() throws Exception {
        List<Long> sizes = new ArrayList<>();
        FileBlockDevice[] opened = new FileBlockDevice[1];
        LibC seen = (LibC) Proxy.newProxyInstance(
                LibC.class.getClassLoader(), new Class<?>[] {LibC.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("ftruncate") && opened[0] != null) {
                        sizes.add(opened[0].sizeBytes());
                    }
                    return method.invoke(LibC.get(), arguments);
                });
        try (FileBlockDevice device =
                new FileBlockDevice(seen, directory.resolve("seen"), FileOptions.EXISTING.withSizeBytes(8192))) {
            opened[0] = device;
            device.resize(4096);
            device.resize(16_384);
            assertEquals(List.of(4096L, 4096L), sizes);
            assertEquals(16_384, device.sizeBytes());
        }
    }

    @Test
    void shouldRefuseAChannelOnARingThatHasEnded() throws Exception {
        Assumptions.assumeTrue(Kind.IO_URING.isAvailable(), "io_uring cannot run here");
        EventLoops loops = EventLoops.open(Kind.IO_URING, 1, "test");
        loops.close();
        try (FileBlockDevice device = FileBlockDevice.open(image(), FileOptions.EXISTING.withSizeBytes(MIB))) {
            IOException e = assertThrows(IOException.class, () -> device.openChannel(loops.next()));
            assertEquals("file:" + image() + " cannot be used from an event loop that is ending", e.getMessage());
        }
    }

    private Path image() {
        return directory.resolve("image");
    }

    private static long allocatedBytes(Path path) throws Exception {
        Process stat = new ProcessBuilder("stat", "-c", "%b", path.toString()).start();
        String blocks = new String(stat.getInputStream().readAllBytes()).trim();
        assertEquals(0, stat.waitFor());
        return Long.parseLong(blocks) * 512;
    }

    private interface Body {
        void run(LoopClient client) throws Exception;
    }

    private static void withClient(Kind kind, Path path, FileOptions options, Body body) throws Exception {
        Assumptions.assumeTrue(kind.isAvailable(), kind + " cannot run here");
        try (EventLoops loops = EventLoops.open(kind, 1, "test");
                FileBlockDevice device = FileBlockDevice.open(path, options);
                LoopClient client = new LoopClient(device, loops.next())) {
            body.run(client);
        }
    }
}
