package io.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Status;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.namespace.Namespace;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How read data arrives. */
class ReadTest extends InitiatorTest {
    private static final int READ = 0x02;

    @BeforeEach
    void fillMedium() {
        new Random(42).nextBytes(target.medium);
    }

    @ParameterizedTest
    @CsvSource({
        // C2HData at most, SUCCESS flag, HDGST, DDGST
        "131072, false, false, false",
        "131072, true,  false, false",
        "4096,   false, true,  true",
        "4096,   true,  true,  true",
        "100,    true,  false, true",
        "333,    false, true,  false"
    })
    void shouldPutDataIntoTheBuffers(int pduBytes, boolean successFlag, boolean headerDigest, boolean dataDigest) {
        target.readPduBytes = pduBytes;
        target.successFlag = successFlag;
        ByteBuffer data = ByteBuffer.allocateDirect(300_032);
        try (Controller controller =
                host.connect(options().headerDigest(headerDigest).dataDigest(dataDigest))) {
            controller.namespace(1).read(9, data).join();
        }
        assertArrayEquals(Arrays.copyOfRange(target.medium, 9 * 512, 9 * 512 + 300_032), bytes(data));
        ReceivedPdu command = target.commands(1, READ).get(0);
        assertEquals(9, command.i64(48));
        assertEquals(300_032 / 512 - 1, command.cdw(12));
        assertEquals(0x5A, command.sglIdentifier());
        assertEquals(300_032, command.sglLength());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 24, 25})
    void shouldNotCareHowTheStreamIsCut(int writeBytes) {
        target.writeBytes = writeBytes;
        target.readPduBytes = 700;
        target.successFlag = writeBytes % 2 == 0;
        ByteBuffer data = ByteBuffer.allocateDirect(2048);
        try (Controller controller = host.connect(options().headerDigest(true).dataDigest(true))) {
            Namespace namespace = controller.namespace(1);
            namespace.write(100, random(16384, 1)).join();
            namespace.read(2, data).join();
        }
        assertArrayEquals(Arrays.copyOfRange(target.medium, 1024, 3072), bytes(data));
        assertArrayEquals(bytes(random(16384, 1)), Arrays.copyOfRange(target.medium, 51200, 51200 + 16384));
    }

    @Test
    void shouldScatterOverTheBuffersOfTheCaller() {
        ByteBuffer memory = ByteBuffer.allocateDirect(20_000);
        ByteBuffer[] parts = {
            memory.duplicate().position(5).limit(6),
            memory.slice(10, 4000),
            ByteBuffer.allocateDirect(0),
            memory.duplicate().position(5000).limit(5000 + 8192 - 4001)
        };
        try (Controller controller = connect()) {
            controller.namespace(1).read(0, parts).join();
        }
        ByteBuffer expected = ByteBuffer.allocate(20_000);
        expected.put(5, target.medium, 0, 1);
        expected.put(10, target.medium, 1, 4000);
        expected.put(5000, target.medium, 4001, 8192 - 4001);
        assertArrayEquals(expected.array(), bytes(memory));
        assertEquals(5, parts[0].position());
        assertEquals(6, parts[0].limit());
    }

    @Test
    void shouldRefuseBuffersThatCannotTakeData() {
        try (Controller controller = connect()) {
            ByteBuffer readOnly = ByteBuffer.allocateDirect(512).asReadOnlyBuffer();
            CompletionException failure = assertThrows(
                    CompletionException.class,
                    () -> controller.namespace(1).read(0, readOnly).join());
            assertEquals(
                    "A read-only buffer cannot take data", failure.getCause().getMessage());
        }
    }

    @Test
    void shouldSplitWhatIsLargerThanTheHostWantsToAskFor() {
        ByteBuffer data = ByteBuffer.allocateDirect(5 << 20);
        try (Controller controller =
                host.connect(options().maxTransferBytes(1_000_000).queueDepth(3))) {
            controller.namespace(1).read(0, data).join();
        }
        assertArrayEquals(Arrays.copyOf(target.medium, 5 << 20), bytes(data));
        List<ReceivedPdu> commands = target.commands(1, READ);
        assertEquals(6, commands.size());
        assertEquals(1952, commands.get(0).cdw(12)); // 1953 blocks
    }

    @Test
    void shouldReadBlocksOf4096Bytes() {
        target.blockShift = 12;
        ByteBuffer data = ByteBuffer.allocateDirect(12288);
        try (Controller controller = connect()) {
            Namespace namespace = controller.namespace(1);
            assertEquals(4096, namespace.blockSizeBytes());
            assertEquals(2048, namespace.blockCount());
            assertEquals(8 << 20, namespace.sizeBytes());
            namespace.read(3, data).join();
        }
        assertArrayEquals(Arrays.copyOfRange(target.medium, 12288, 24576), bytes(data));
    }

    @Test
    void shouldFailTheCommandAloneWhenTheDataDigestIsWrong() {
        target.script = (connection, command) -> {
            if (command.opcode() == READ && connection.queueId == 1 && command.i64(48) == 1) {
                connection.dataDigestError = 1;
            }
            return false;
        };
        target.readPduBytes = 512;
        ByteBuffer data = ByteBuffer.allocateDirect(4096);
        try (Controller controller = host.connect(options().dataDigest(true))) {
            Namespace namespace = controller.namespace(1);
            assertEquals(Status.TRANSIENT_TRANSPORT_ERROR, statusOf(namespace.read(1, data)));
            namespace.read(2, data).join();
            assertArrayEquals(Arrays.copyOfRange(target.medium, 1024, 5120), bytes(data));
        }
    }

    /** As other hosts do: all of the data is there, but it is the response alone that says so. */
    @Test
    void shouldAwaitTheResponseWhenNoDataIsTheLast() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        target.script = (connection, command) -> {
            boolean matches = command.opcode() == READ && connection.queueId == 1;
            if (matches) {
                connection.readData(command.commandId(), 0, target.medium, 0, 4096, 0);
                asked.countDown();
                await(() -> answer.getCount() == 0);
                connection.response(command.commandId(), 0, 0);
            }
            return matches;
        };
        ByteBuffer data = ByteBuffer.allocateDirect(4096);
        try (Controller controller = connect()) {
            CompletableFuture<Void> read = controller.namespace(1).read(0, data);
            assertTrue(asked.await(20, TimeUnit.SECONDS));
            controller.identifyController(); // a round trip later it is still under way
            assertFalse(read.isDone());
            answer.countDown();
            read.get(20, TimeUnit.SECONDS);
            assertArrayEquals(Arrays.copyOf(target.medium, 4096), bytes(data));
        }
    }

    @Test
    void shouldAbortAReadWhoseDataHasNoLastAndNoResponse() throws Exception {
        target.script = (connection, command) -> {
            boolean matches = command.opcode() == READ && connection.queueId == 1;
            if (matches) {
                connection.readData(command.commandId(), 0, target.medium, 0, 4096, 0);
            }
            return matches || command.opcode() == 0x08 && connection.queueId == 0; // no Abort helps
        };
        Controller controller = host.connect(options().ioTimeoutMs(200));
        CompletableFuture<Void> read = controller.namespace(1).read(0, ByteBuffer.allocateDirect(4096));
        assertEquals(Status.HOST_PATHING_ERROR, statusOf(read));
        assertEquals(1, target.commands(0, 0x08).size());
        controller.ended().get(20, TimeUnit.SECONDS);
    }

    @Test
    void shouldFailTheCommandWhenDataIsMissing() {
        target.script = (connection, command) -> {
            boolean matches = command.opcode() == READ && connection.queueId == 1 && command.i64(48) < 2;
            if (matches) {
                boolean flag = command.i64(48) == 1;
                connection.readData(command.commandId(), 0, target.medium, 0, 1024, flag ? 12 : 0);
                if (!flag) {
                    connection.response(command.commandId(), 0, 0);
                }
            }
            return matches;
        };
        ByteBuffer data = ByteBuffer.allocateDirect(4096);
        try (Controller controller = connect()) {
            Namespace namespace = controller.namespace(1);
            assertEquals(Status.DATA_TRANSFER_ERROR, statusOf(namespace.read(0, data)));
            assertEquals(Status.DATA_TRANSFER_ERROR, statusOf(namespace.read(1, data)));
            namespace.read(2, data).join();
        }
    }

    @Test
    void shouldFailWithTheStatusOfTheController() {
        target.script = (connection, command) -> {
            boolean matches = command.opcode() == READ && connection.queueId == 1;
            if (matches) {
                connection.response(command.commandId(), 0x4281, 0);
            }
            return matches;
        };
        try (Controller controller = connect()) {
            assertEquals(
                    Status.UNRECOVERED_READ_ERROR | Status.DNR,
                    statusOf(controller.namespace(1).read(0, ByteBuffer.allocateDirect(512))));
        }
    }
}
