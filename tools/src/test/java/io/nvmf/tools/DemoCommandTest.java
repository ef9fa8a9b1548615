package io.nvmf.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.nvmf.transport.memory.MemoryRdma;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoCommandTest {
    @TempDir
    private Path directory;

    @Test
    void shouldVerifyEverySizeAndLeaveNothingBehind() throws IOException {
        CommandRun run = CommandRun.of("demo", "-o", "json", "--directory", directory.toString());
        assertEquals("", run.err());
        assertEquals(0, run.status());
        JsonNode json = parse(run);
        long bytes = 0;
        for (JsonNode size : json.get("sizes")) {
            long block = size.get("block_bytes").asLong();
            bytes += block * size.get("blocks").asLong();
            assertEquals(expectedTravel(block), size.get("write_travels").asText());
            assertTrue(size.get("read").get("mb_per_s").asDouble() > 0);
            assertTrue(size.get("write").get("p99_us").asDouble()
                    >= size.get("write").get("p50_us").asDouble());
        }
        assertEquals(9, json.get("sizes").size());
        assertEquals(4, json.get("io_queues").asInt());
        assertEquals(bytes, json.get("verified_bytes").asLong());
        try (Stream<Path> left = Files.list(directory)) {
            assertEquals(0, left.count());
        }
    }

    private static String expectedTravel(long block) {
        return switch ((int) block) {
            case 4096, 8192 -> "in capsule";
            case 2 << 20 -> "R2T, 2 commands";
            case 5 << 20 -> "R2T, 5 commands";
            default -> "R2T";
        };
    }

    @Test
    void shouldEndWithNumberOfVerifiedBytesWhenDigestsProtectThem() {
        CommandRun run = CommandRun.of("demo", "-g", "-G", "-i", "2", "--directory", directory.toString());
        assertEquals("", run.err());
        assertEquals(0, run.status());
        assertTrue(run.out().matches("(?s).*\nall \\d+ bytes verified\n"), run::out);
    }

    @Test
    void shouldWriteFewerBlocksWhenToldSo() throws IOException {
        CommandRun run = CommandRun.of("demo", "-o", "json", "--blocks", "3", "--directory", directory.toString());
        assertEquals("", run.err());
        for (JsonNode size : parse(run).get("sizes")) {
            assertEquals(3, size.get("blocks").asInt());
        }
    }

    @Test
    void shouldVerifyEverySizeOverRdma() throws IOException {
        MemoryRdma rdma = new MemoryRdma();
        CommandRun run = CommandRun.withRdma(
                rdma, "demo", "-t", "rdma", "--address", "127.0.0.1", "--blocks", "16", "-o", "json");
        assertEquals("", run.err());
        assertEquals(0, run.status());
        JsonNode sizes = parse(run).get("sizes");
        assertEquals("in capsule", sizes.get(0).get("write_travels").asText());
        assertEquals("RDMA READ", sizes.get(1).get("write_travels").asText());
        assertEquals("RDMA READ, 5 commands", sizes.get(8).get("write_travels").asText());
        assertTrue(rdma.traffic().reads() > 0 && rdma.traffic().writes() > 0);
        assertEquals(MemoryRdma.Counts.NONE, rdma.counts());
    }

    @Test
    void shouldFailWithOneSentenceWhenThereIsNoRdma() {
        CommandRun named = CommandRun.of("demo", "-t", "rdma", "--address", "127.0.0.1");
        assertEquals(1, named.status());
        assertEquals(
                "nvmf demo: cannot listen on 127.0.0.1:0 over RDMA: " + MissingRdma.CAUSE + System.lineSeparator(),
                named.err());
        CommandRun any = CommandRun.of("demo", "-t", "rdma");
        assertEquals(1, any.status());
        assertEquals("nvmf demo: " + MissingRdma.CAUSE + System.lineSeparator(), any.err());
    }

    @Test
    void shouldSayWhatToDoWhenAddressIsNotOfThisMachine() {
        CommandRun unknown = CommandRun.of("demo", "--address", "no.such.host.invalid");
        assertEquals(1, unknown.status());
        assertEquals(
                "nvmf demo: --address 'no.such.host.invalid' is an unknown host; give an address of this machine"
                        + System.lineSeparator(),
                unknown.err());
        CommandRun other = CommandRun.of("demo", "--address", "192.0.2.1");
        assertEquals(1, other.status());
        assertEquals(
                "nvmf demo: cannot listen on 192.0.2.1:0: this machine has no such address" + System.lineSeparator(),
                other.err());
    }

    @Test
    void shouldRefuseDigestsOverRdma() {
        CommandRun run = CommandRun.of("demo", "-t", "rdma", "-g");
        assertEquals(2, run.status());
        assertTrue(run.err().contains("--hdr-digest cannot stand beside rdma, which has no digests"), run::err);
    }

    @Test
    void shouldFailWithOneSentenceWhenDirectoryIsMissing() {
        CommandRun run =
                CommandRun.of("demo", "--directory", directory.resolve("no").toString());
        assertEquals(1, run.status());
        assertTrue(run.err().matches("nvmf demo: .*no.*: no such file\\R"), run::err);
    }

    private static JsonNode parse(CommandRun run) throws JsonProcessingException {
        return new ObjectMapper().readTree(run.out());
    }
}
