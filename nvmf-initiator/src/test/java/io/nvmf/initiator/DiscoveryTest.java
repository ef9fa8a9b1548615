package io.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.log.DiscoveryLogEntry;
import io.nvmf.initiator.controller.ControllerException;
import io.nvmf.initiator.discovery.DiscoveryResult;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DiscoveryTest extends InitiatorTest {
    private static final int GET_LOG_PAGE = 0x02;

    private final AtomicInteger headersRead = new AtomicInteger();
    /** How many reads of the header each find a new generation. */
    private int changes;

    private int records = 3;
    private int recordFormat;

    @BeforeEach
    void serveDiscoveryLog() {
        target.script = (connection, command) -> {
            boolean matches = command.opcode() == GET_LOG_PAGE && connection.queueId == 0;
            if (matches) {
                answer(connection, command);
            }
            return matches;
        };
    }

    private void answer(TargetConnection connection, ReceivedPdu command) throws IOException {
        long offset = command.i64(8 + 48);
        int length = (command.cdw(10) >>> 16) * 4 + 4;
        ByteBuffer data = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        if (offset == 0) {
            long generation = 7 + Math.min(headersRead.getAndIncrement(), changes);
            data.putLong(0, generation).putLong(8, records).putShort(16, (short) recordFormat);
        } else {
            for (int at = 0; at < length; at += 1024) {
                long index = (offset + at - 1024) / 1024;
                data.put(at, (byte) 3).put(at + 1, (byte) 1).put(at + 2, (byte) 2);
                data.put(at + 32, "4420    ".getBytes(StandardCharsets.US_ASCII));
                data.put(at + 256, ("nqn.2024-01.com.example:" + index).getBytes(StandardCharsets.UTF_8));
                data.put(at + 512, "192.0.2.1".getBytes(StandardCharsets.US_ASCII));
            }
        }
        target.sendAll(connection, command.commandId(), data.array());
    }

    @Test
    void shouldReadHeaderEntriesAndHeaderAgain() {
        DiscoveryResult found = host.discover(target.address());
        assertEquals(7, found.generation());
        assertEquals(
                List.of("nqn.2024-01.com.example:0", "nqn.2024-01.com.example:1", "nqn.2024-01.com.example:2"),
                found.entries().stream().map(DiscoveryLogEntry::subsystemNqn).toList());
        assertEquals("4420", found.entries().get(0).serviceId());
        assertEquals("192.0.2.1", found.entries().get(0).transportAddress());
        List<ReceivedPdu> reads = target.commands(0, GET_LOG_PAGE);
        assertEquals(
                List.of(0L, 1024L, 0L), reads.stream().map(pdu -> pdu.i64(56)).toList());
        assertEquals(255 << 16 | 0x70, reads.get(0).cdw(10)); // NUMDL, LID
        assertEquals(767 << 16 | 0x70, reads.get(1).cdw(10));
        assertEquals(-1, reads.get(0).cdw(1)); // NSID
        await(() -> target.openConnections() == 0);
    }

    @Test
    void shouldReadManyEntriesInPieces() {
        records = 200;
        assertEquals(200, host.discover(target.address()).entries().size());
        assertEquals(2 + 4, target.commands(0, GET_LOG_PAGE).size());
    }

    @Test
    void shouldReadAgainWhenTheLogChangedMeanwhile() {
        changes = 5;
        assertEquals(12, host.discover(target.address()).generation());
        assertEquals(3 * 4, target.commands(0, GET_LOG_PAGE).size());
    }

    @Test
    void shouldGiveUpWhenTheLogNeverRests() {
        changes = 1000;
        ControllerException failure = assertThrows(ControllerException.class, () -> host.discover(target.address()));
        assertTrue(failure.getMessage().contains("changed 10 times"), failure.getMessage());
        assertEquals(10 * 3, target.commands(0, GET_LOG_PAGE).size());
        await(() -> target.openConnections() == 0);
    }

    @Test
    void shouldFindNothingInAnEmptyLog() {
        records = 0;
        assertEquals(List.of(), host.discover(target.address()).entries());
    }

    @Test
    void shouldNotBelieveAnEndlessLog() {
        records = -1;
        ControllerException failure = assertThrows(ControllerException.class, () -> host.discover(target.address()));
        assertTrue(failure.getMessage().contains("18446744073709551615 entries"), failure.getMessage());
    }

    @Test
    void shouldRefuseAnUnknownFormat() {
        recordFormat = 1;
        assertThrows(ControllerException.class, () -> host.discover(target.address()));
    }
}
