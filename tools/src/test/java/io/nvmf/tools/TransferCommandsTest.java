package io.nvmf.tools;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.target.backend.memory.MemoryBlockDevice;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** read and write against a running target. */
class TransferCommandsTest {
    private static final int SIZE_BYTES = 8 << 20;

    private static LoopbackTarget target4k;
    private static LoopbackTarget target512;

    @TempDir
    private Path directory;

    @BeforeAll
    static void startTargets() throws IOException {
        target4k = LoopbackTarget.serve(4096, new MemoryBlockDevice(SIZE_BYTES));
        target512 = LoopbackTarget.serve(512, new MemoryBlockDevice(SIZE_BYTES));
    }

    @AfterAll
    static void stopTargets() {
        target4k.close();
        target512.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-i 1 --queue-depth 1 --io-size 4k",
                "-i 3 --queue-depth 5 --io-size 12k -g -G",
                "-i 2 -Q 2 --queue-depth 64 --io-size 64k",
                "-i 1 --queue-depth 2 --io-size 3m -G",
            })
    void shouldReadBackWhatItWroteHoweverItIsCut(String options) throws IOException {
        byte[] data = random(1, SIZE_BYTES);
        Path input = Files.write(directory.resolve("in"), data);
        Path output = directory.resolve("out");
        succeed("write " + target4k.uri(1) + " -f " + input + " " + options);
        succeed("read " + target4k.uri(1) + " -f " + output + " " + options);
        assertArrayEquals(data, Files.readAllBytes(output));
    }

    @Test
    void shouldCopyStandardInputAndOutput() {
        byte[] data = random(2, 777 * 512);
        CommandRun write = CommandRun.withInput(new Trickle(data), words("write " + target512.uri(1)));
        assertEquals("", write.err());
        assertTrue(write.out().matches("wrote 397824 bytes at byte 0 in .* s, .* MB/s\\R"), write::out);
        CommandRun read = CommandRun.of(words("read " + target512.uri(1) + " --length 397824"));
        assertEquals(0, read.status(), read::err);
        assertTrue(read.err().startsWith("read 397824 bytes at byte 0 in "), read::err);
        assertArrayEquals(data, read.outBytes());
    }

    @Test
    void shouldReachEveryPlaceByBytesAndByBlocks() {
        byte[] data = random(3, SIZE_BYTES);
        succeedWithInput(data, "write " + target512.uri(1));
        byte[] patch = random(4, 1024);
        succeedWithInput(patch, "write " + target512.uri(1) + " --offset 1m --length 1k");
        System.arraycopy(patch, 0, data, 1 << 20, patch.length);
        succeedWithInput(patch, "write " + target512.uri(1) + " --start-block 5 --block-count 1");
        System.arraycopy(patch, 0, data, 5 * 512, patch.length);
        assertRange(data, 0, SIZE_BYTES, "");
        assertRange(data, (1 << 20) - 512, 3072, "--offset 1048064 --length 3k");
        assertRange(data, 5 * 512, 512, "--start-block 5 --block-count 0");
        assertRange(data, SIZE_BYTES - 512, 512, "--start-block 16383");
    }

    private void assertRange(byte[] expected, int offset, int length, String options) {
        CommandRun run = CommandRun.of(words("read " + target512.uri(1) + " " + options));
        assertEquals(0, run.status(), run::err);
        assertArrayEquals(Arrays.copyOfRange(expected, offset, offset + length), run.outBytes());
    }

    @Test
    void shouldFillLastBlockWithZerosWhenAskedToPad() {
        succeedWithInput(filled(8192, 1), "write " + target4k.uri(1));
        succeedWithInput(filled(5000, 2), "write " + target4k.uri(1) + " --pad");
        byte[] expected = Arrays.copyOf(filled(5000, 2), 8192);
        assertArrayEquals(
                expected,
                CommandRun.of(words("read " + target4k.uri(1) + " --length 8k")).outBytes());
    }

    @Test
    void shouldTellResultAsJson() {
        CommandRun run =
                CommandRun.withInput(filled(4096, 3), words("write " + target4k.uri(1) + " --offset 4k -o json"));
        assertTrue(run.out().contains("\"offset\" : 4096,\n  \"bytes\" : 4096,\n  \"seconds\" : "), run::out);
    }

    @Test
    void shouldFailWhenInputIsEmpty() {
        CommandRun run = CommandRun.withInput(new byte[0], words("write " + target4k.uri(1)));
        assertEquals("nvmf write: standard input is empty, nothing was written\n", run.err());
        assertEquals(1, run.status());
        assertEquals("", run.out());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--io-size 0 | --io-size 0 is not from one block to 64 MiB",
                "--queue-depth 0 | --queue-depth '0' is not a number from 1 to 1024",
                "--length x | --length 'x' is not a number of bytes, write it as 4096, 512k, 10m or 2g",
                "-i 0 | --nr-io-queues '0' is not a number from 1 to 1024",
            })
    void shouldFailAsUsageWhenAValueCannotBe(String options, String sentence) {
        CommandRun run = CommandRun.of(words("write " + target4k.uri(1) + " " + options));
        assertEquals("nvmf write: " + sentence + " (see nvmf help write)\n", run.err());
        assertEquals(2, run.status());
    }

    @ParameterizedTest
    @ValueSource(strings = {"write", "read"})
    @Timeout(60)
    void shouldSayThatConnectionIsLost(String command) throws IOException {
        LoopbackTarget doomed = LoopbackTarget.serve(4096, new MemoryBlockDevice(SIZE_BYTES));
        InputStream input = new InputStream() {
            private int given;

            @Override
            public int read() {
                if (given++ == 1 << 20) {
                    doomed.close();
                }
                return 0;
            }
        };
        OutputStream output = new OutputStream() {
            @Override
            public void write(int octet) {
                doomed.close();
            }
        };
        CommandRun run = CommandRun.withStreams(input, output, words(command + " " + doomed.uri(1) + " -i 1"));
        doomed.close();
        assertEquals(1, run.status());
        assertTrue(run.err().matches("nvmf " + command + ": .* failed: connection lost, because .*\n"), run::err);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1000 | '' | the input ends 1000 bytes into a block of 4096, use --pad to fill it with zeros; 0 bytes are written",
                "140072 | '' | the input ends 808 bytes into a block of 4096, use --pad to fill it with zeros; 131072 bytes are written",
                "140072 | --length 256k --pad | the input has 140072 bytes, not the 262144 of --length; 140072 bytes are written",
                "8192 | --offset 8384512 | the input has more than the 4096 bytes that namespace 1 has from byte 8384512 on; 0 bytes are written",
                "0 | --offset 8m | byte 8388608 is beyond the end of namespace 1, which has 8388608 bytes",
                "0 | --offset 1000 | --offset 1000 is no multiple of the block size 4096",
                "0 | --io-size 1000 | --io-size 1000 is no multiple of the block size 4096",
                "0 | --length 9m | 9437184 bytes from byte 0 on end beyond namespace 1, which has 8388608 bytes",
            })
    void shouldFailToWriteWithOneSentence(int inputBytes, String options, String sentence) {
        CommandRun run = CommandRun.withInput(
                new ByteArrayInputStream(new byte[inputBytes]), words("write " + target4k.uri(1) + " " + options));
        assertEquals("nvmf write: " + sentence + "\n", run.err());
        assertEquals(1, run.status());
        assertEquals("", run.out());
    }

    @Test
    void shouldRefuseFileThatCannotFitBeforeAnythingIsOverwritten() throws IOException {
        succeedWithInput(filled(4096, 7), "write " + target4k.uri(1));
        Path large = Files.write(directory.resolve("large"), new byte[SIZE_BYTES + 4096]);
        Path odd = Files.write(directory.resolve("odd"), new byte[1000]);
        assertFails(
                large + " has 8392704 bytes, more than the 8388608 that namespace 1 has from byte 0 on",
                "write " + target4k.uri(1) + " -f " + large);
        assertFails(
                "1000 bytes of " + odd
                        + " are no multiple of the block size 4096, use --pad to fill the last block with zeros",
                "write " + target4k.uri(1) + " -f " + odd);
        assertFails(
                odd + " has 1000 bytes, not the 8192 asked for", "write " + target4k.uri(1) + " --length 8k -f " + odd);
        assertArrayEquals(
                filled(4096, 7),
                CommandRun.of(words("read " + target4k.uri(1) + " --length 4k")).outBytes());
    }

    @Test
    void shouldFailToReadWithOneSentence() {
        assertFails(
                "--length 1000 is no multiple of the block size 4096", "read " + target4k.uri(1) + " --length 1000");
        assertFails(
                directory.resolve("no/file") + ": no such file",
                "read " + target4k.uri(1) + " -f " + directory.resolve("no/file"));
        assertFails("/dev/full: No space left on device", "read " + target4k.uri(1) + " -f /dev/full");
        assertFails(directory + ": ", "write " + target4k.uri(1) + " -f " + directory);
        assertFails("no such file", "write " + target4k.uri(1) + " -f " + directory.resolve("none"));
    }

    @Test
    void shouldWriteNoBlocksToATerminalAndShowProgressThere() {
        CommandRun read = CommandRun.onTerminal(words("read " + target4k.uri(1)));
        assertEquals(2, read.status());
        assertEquals(
                "nvmf read: blocks are not for a terminal: give -f FILE or redirect the output (see nvmf help read)\n",
                read.err());
        CommandRun write = CommandRun.onTerminal(words("write " + target4k.uri(1) + " -f /dev/zero --length 8m"));
        assertEquals(0, write.status(), write::err);
        assertTrue(write.err().startsWith("\r\u001b[K["), write::err);
        assertTrue(write.err().contains(" of 8 MiB, "), write::err);
        assertTrue(write.err().endsWith("\r\u001b[K"), write::err);
    }

    @Test
    void shouldFailAsUsageWhenOptionsContradict() {
        CommandRun run = CommandRun.of(words("read " + target4k.uri(1) + " --offset 0 --start-block 0"));
        assertEquals(2, run.status());
        assertEquals("nvmf read: --offset cannot stand beside --start-block (see nvmf help read)\n", run.err());
    }

    private static String[] words(String line) {
        return line.strip().split(" +");
    }

    private static void succeed(String line) {
        succeedWithInput(new byte[0], line);
    }

    private static void succeedWithInput(byte[] input, String line) {
        CommandRun run = CommandRun.withInput(input, words(line));
        assertEquals("", run.err());
        assertEquals(0, run.status());
    }

    private static void assertFails(String sentencePart, String line) {
        CommandRun run = CommandRun.of(words(line));
        assertEquals(1, run.status(), run::err);
        assertEquals(1, run.err().lines().count(), run::err);
        assertTrue(run.err().contains(sentencePart), run::err);
    }

    private static byte[] random(long seed, int length) {
        byte[] data = new byte[length];
        new Random(seed).nextBytes(data);
        return data;
    }

    private static byte[] filled(int length, int value) {
        byte[] data = new byte[length];
        Arrays.fill(data, (byte) value);
        return data;
    }

    /** Gives a few bytes at a time, as a pipe may. */
    private static final class Trickle extends InputStream {
        private final ByteArrayInputStream data;

        Trickle(byte[] data) {
            this.data = new ByteArrayInputStream(data);
        }

        @Override
        public int read() {
            return data.read();
        }

        @Override
        public int read(byte[] to, int offset, int length) {
            return data.read(to, offset, Math.min(length, 1000));
        }
    }
}
