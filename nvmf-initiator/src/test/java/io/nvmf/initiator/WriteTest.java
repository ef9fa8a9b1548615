package io.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Status;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.namespace.BlockRange;
import io.nvmf.initiator.namespace.Namespace;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How write data travels; the scripted target checks tag, offsets, lengths and LAST_PDU of every H2CData PDU. */
class WriteTest extends InitiatorTest {
    private static final int WRITE = 0x01;

    @ParameterizedTest
    @CsvSource({
        // IOCCSZ, data, whether it fits the capsule
        "516, 8192, true",
        "516, 8704, false",
        "515, 8192, false",
        "36,  512,  true",
        "35,  512,  false",
        "4,   512,  false",
        "4100, 65536, true"
    })
    void shouldSendDataInTheCapsuleOnlyWhereItFits(int ioccsz, int length, boolean fits) {
        target.ioccsz = ioccsz;
        ByteBuffer data = random(length, ioccsz);
        try (Controller controller = connect()) {
            controller.namespace(1).write(5, data).join();
        }
        assertArrayEquals(bytes(data), Arrays.copyOfRange(target.medium, 5 * 512, 5 * 512 + length));
        ReceivedPdu command = target.commands(1, WRITE).get(0);
        assertEquals(fits ? length : 0, command.data().length);
        assertEquals(fits ? 0x01 : 0x5A, command.sglIdentifier());
        assertEquals(0, command.i64(8 + 24));
        assertEquals(length, command.sglLength());
        assertEquals(1, command.cdw(1)); // NSID
        assertEquals(5, command.i64(8 + 40)); // SLBA
        assertEquals(length / 512 - 1, command.cdw(12)); // NLB, no flags
        assertEquals(fits ? 0 : 1, target.ofType(ReceivedPdu.H2C_DATA).size());
    }

    @ParameterizedTest
    @CsvSource({
        // R2TL at most, MAXH2CDATA, H2CData PDUs for 100,352 bytes
        "1000000, 1000000, 1",
        "1000000, 4096,    25",
        "40000,   1000000, 3",
        "40000,   16384,   8",
        "4096,    4096,    25",
        "333,     4096,    302"
    })
    void shouldCutDataByR2tAndMaxh2cdata(int r2tBytes, int maxH2cData, int pdus) {
        target.r2tBytes = r2tBytes;
        target.maxH2cData = maxH2cData;
        ByteBuffer data = random(100_352, r2tBytes);
        try (Controller controller = connect()) {
            controller.namespace(1).write(0, data).join();
        }
        assertArrayEquals(bytes(data), Arrays.copyOf(target.medium, 100_352));
        assertEquals(pdus, target.ofType(ReceivedPdu.H2C_DATA).size());
    }

    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true", "true, true"})
    void shouldProtectHeadersAndDataByDigests(boolean headerDigest, boolean dataDigest) {
        target.maxH2cData = 32768;
        ByteBuffer small = random(4096, 1);
        ByteBuffer large = random(200_704, 2);
        try (Controller controller =
                host.connect(options().headerDigest(headerDigest).dataDigest(dataDigest))) {
            Namespace namespace = controller.namespace(1);
            namespace.write(0, small).join();
            namespace.write(8, large).join();
        }
        assertArrayEquals(bytes(small), Arrays.copyOf(target.medium, 4096));
        assertArrayEquals(bytes(large), Arrays.copyOfRange(target.medium, 4096, 4096 + 200_704));
        int flags = (headerDigest ? 1 : 0) | (dataDigest ? 2 : 0);
        target.ofType(ReceivedPdu.H2C_DATA).forEach(pdu -> assertEquals(flags, pdu.flags() & 3));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 31})
    void shouldStartDataWhereTheControllerWantsIt(int cpda) {
        target.cpda = cpda;
        ByteBuffer small = random(512, 1);
        ByteBuffer large = random(65536, 2);
        try (Controller controller = host.connect(options().headerDigest(true))) {
            controller.namespace(1).write(0, small).join();
            controller.namespace(1).write(1, large).join();
        }
        int alignment = 4 * (cpda + 1);
        assertEquals(up(76, alignment), target.commands(1, WRITE).get(0).pdo());
        assertEquals(
                up(28, alignment), target.ofType(ReceivedPdu.H2C_DATA).get(0).pdo());
        assertArrayEquals(bytes(large), Arrays.copyOfRange(target.medium, 512, 512 + 65536));
    }

    private static int up(int value, int multiple) {
        return (value + multiple - 1) / multiple * multiple;
    }

    @ParameterizedTest
    @ValueSource(ints = {16384, 65536})
    void shouldGatherTheBuffersOfTheCaller(int length) {
        ByteBuffer all = random(length + 100, 9);
        ByteBuffer[] parts = {
            all.duplicate().position(10).limit(11),
            all.duplicate().position(20).limit(20),
            all.duplicate().position(30).limit(2030),
            all.slice(40, 12_000),
            all.duplicate().asReadOnlyBuffer().position(50).limit(50 + length - 2001 - 12_000)
        };
        ByteBuffer expected = ByteBuffer.allocate(length);
        for (ByteBuffer part : parts) {
            expected.put(part.duplicate());
        }
        try (Controller controller = connect()) {
            controller.namespace(1).write(0, parts).join();
        }
        assertArrayEquals(expected.array(), Arrays.copyOf(target.medium, length));
        assertEquals(10, parts[0].position());
        assertEquals(11, parts[0].limit());
    }

    @Test
    void shouldSplitWhatIsLargerThanMdts() {
        target.mdts = 4; // 64 KiB
        ByteBuffer data = random(200_704, 3);
        AtomicInteger calls = new AtomicInteger();
        try (Controller controller = connect()) {
            assertEquals(65536, controller.maxTransferBytes());
            CompletableFuture<Integer> done = new CompletableFuture<>();
            controller.namespace(1).submitWrite(Namespace.ANY_QUEUE, 3, data, true, (status, result) -> {
                calls.incrementAndGet();
                done.complete(status);
            });
            assertEquals(Status.SUCCESS, done.join());
        }
        assertArrayEquals(bytes(data), Arrays.copyOfRange(target.medium, 3 * 512, 3 * 512 + 200_704));
        List<ReceivedPdu> commands = target.commands(1, WRITE);
        assertEquals(
                List.of(3L, 131L, 259L, 387L),
                commands.stream().map(pdu -> pdu.i64(48)).toList());
        int fua = 1 << 30;
        assertEquals(
                List.of(fua | 127, fua | 127, fua | 127, fua | 7),
                commands.stream().map(pdu -> pdu.cdw(12)).toList());
        assertEquals(1, calls.get());
    }

    @Test
    void shouldEndOnceWithTheFirstFailureWhenAPartFails() {
        target.mdts = 1; // 8 KiB
        target.script = (connection, command) -> {
            boolean fails = connection.queueId == 1 && command.opcode() == WRITE && command.i64(48) >= 32;
            if (fails) {
                connection.response(command.commandId(), command.i64(48) == 32 ? 0x4080 : 0x0006, 0);
            }
            return fails;
        };
        AtomicInteger calls = new AtomicInteger();
        try (Controller controller = host.connect(options().queueDepth(2))) {
            Namespace namespace = controller.namespace(1);
            CompletableFuture<Integer> done = new CompletableFuture<>();
            namespace.submitWrite(0, 0, random(1 << 20, 4), false, (status, result) -> {
                calls.incrementAndGet();
                done.complete(status);
            });
            assertEquals(Status.LBA_OUT_OF_RANGE | Status.DNR, done.join());
            namespace.flush().join();
        }
        assertEquals(1, calls.get());
        assertEquals(3, target.commands(1, WRITE).size());
    }

    @Test
    void shouldRefuseWhatAreNotWholeBlocksOrNotDirect() {
        try (Controller controller = connect()) {
            Namespace namespace = controller.namespace(1);
            for (int length : new int[] {0, 1, 511, 513}) {
                CompletableFuture<Void> failed = namespace.write(0, ByteBuffer.allocateDirect(length));
                assertThrows(IllegalArgumentException.class, () -> join(failed));
            }
            assertThrows(IllegalArgumentException.class, () -> join(namespace.write(0, ByteBuffer.allocate(512))));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> namespace.submitWrite(0, -1, ByteBuffer.allocateDirect(512), false, (status, result) -> {}));
            for (int i = 0; i < 3000; i++) { // none of the refused holds a place in the queue
                assertThrows(IllegalArgumentException.class, () -> join(namespace.write(0, ByteBuffer.allocate(512))));
            }
            namespace.write(0, ByteBuffer.allocateDirect(512)).join();
        }
    }

    private static void join(CompletableFuture<?> future) throws Throwable {
        try {
            future.join();
        } catch (CompletionException e) {
            throw e.getCause();
        }
    }

    @Test
    void shouldDeallocateZeroAndFlush() {
        Arrays.fill(target.medium, (byte) 7);
        try (Controller controller = connect()) {
            Namespace namespace = controller.namespace(1);
            namespace
                    .deallocate(List.of(new BlockRange(0x11, 0x22), new BlockRange(0x1_0000_0000L, 0x1_0000_0001L)))
                    .join();
            namespace.writeZeroes(1, 2, true).join();
            namespace.flush().join();
        }
        ReceivedPdu deallocate = target.commands(1, 0x09).get(0);
        assertEquals(2, deallocate.cdw(10)); // NR, zero based
        assertEquals(4, deallocate.cdw(11)); // AD
        assertEquals(
                "00000000" + "22000000" + "1100000000000000"
                        + "00000000" + "ffffffff" + "0000000001000000"
                        + "00000000" + "02000000" + "ffffffff01000000",
                HexFormat.of().formatHex(deallocate.data()));
        ReceivedPdu zeroes = target.commands(1, 0x08).get(0);
        assertEquals(1, zeroes.i64(48));
        assertEquals(1 << 25 | 1, zeroes.cdw(12)); // DEAC, NLB
        assertEquals(0, zeroes.sglLength());
        ReceivedPdu flush = target.commands(1, 0x00).get(0);
        assertEquals(1, flush.cdw(1));
        assertEquals(0, target.medium[512]);
        assertEquals(7, target.medium[511]);
        assertTrue(target.medium[3 * 512] == 7);
    }
}
