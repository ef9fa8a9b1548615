package io.nvmf.target.backend.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.nvmf.target.backend.LoopClient;
import io.nvmf.target.backend.TestBuffers;
import io.nvmf.transport.EventLoops;
import io.nvmf.transport.EventLoops.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A whole disk instead of a file: a loop device, where the machine allows to make one. */
class DiskTest {
    private static final int SIZE = 8 << 20;

    @TempDir
    Path directory;

    private Path disk;

    @BeforeEach
    void attach() throws Exception {
        Path image = directory.resolve("image");
        Files.write(image, new byte[SIZE]);
        String name = output("losetup", "--find", "--show", image.toString());
        Assumptions.assumeTrue(name.startsWith("/dev/loop"), "no loop device can be made here");
        disk = Path.of(name);
    }

    @AfterEach
    void detach() throws Exception {
        if (disk != null) {
            output("losetup", "--detach", disk.toString());
        }
    }

    @ParameterizedTest
    @CsvSource({"IO_URING, false", "IO_URING, true", "NIO, false", "NIO, true"})
    void shouldReadWriteAndZero(Kind kind, boolean direct) throws Exception {
        Assumptions.assumeTrue(kind.isAvailable(), kind + " cannot run here");
        try (EventLoops loops = EventLoops.open(kind, 1, "test");
                FileBlockDevice device = FileBlockDevice.open(disk, FileOptions.EXISTING.withDirect(direct));
                LoopClient client = new LoopClient(device, loops.next())) {
            assertEquals(SIZE, device.sizeBytes());
            byte[] expected = TestBuffers.randomBytes(new Random(1), SIZE);
            client.write(0, expected);
            client.deallocate(4096, 65_536);
            client.writeZeroes(1 << 20, 1 << 20, false, true);
            client.writeZeroes(3 << 20, 1 << 20, true, false);
            client.flush();
            Arrays.fill(expected, 4096, 4096 + 65_536, (byte) 0);
            Arrays.fill(expected, 1 << 20, 2 << 20, (byte) 0);
            Arrays.fill(expected, 3 << 20, 4 << 20, (byte) 0);
            assertArrayEquals(expected, client.read(0, SIZE));
        }
    }

    @Test
    void shouldSayThatTheDiskIsTaken() throws Exception {
        try (FileBlockDevice holder = FileBlockDevice.open(disk, FileOptions.EXISTING)) {
            assertEquals(SIZE, holder.sizeBytes());
            IOException e = assertThrows(IOException.class, () -> FileBlockDevice.open(disk, FileOptions.EXISTING));
            assertEquals(disk + " is mounted or otherwise in use: release it first", e.getMessage());
        }
    }

    private static String output(String... command) throws Exception {
        try {
            Process process = new ProcessBuilder(command).start();
            String output = new String(process.getInputStream().readAllBytes()).trim();
            process.waitFor(30, TimeUnit.SECONDS);
            return output;
        } catch (IOException e) {
            return "";
        }
    }
}
