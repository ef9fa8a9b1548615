package io.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Status;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.namespace.BlockRange;
import io.nvmf.initiator.namespace.FusedCommandException;
import io.nvmf.initiator.namespace.Namespace;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Commands beyond Read, Write, Flush and Write Zeroes, as they leave, and what is made of their answers. */
class NamespaceCommandsTest extends InitiatorTest {
    private static final int COMPARE = 0x05;
    private static final int WRITE = 0x01;
    private static final int VERIFY = 0x0C;
    private static final int WRITE_UNCORRECTABLE = 0x04;
    private static final int COPY = 0x19;

    /** FUSE of a command capsule. */
    private static int fuse(ReceivedPdu command) {
        return command.u8(9) & 0x3;
    }

    /** Answers I/O commands of an opcode with a status. */
    private void answer(int opcode, int status) {
        ScriptedTarget.Script others = target.script;
        target.script = (connection, command) -> {
            if (connection.queueId > 0 && command.opcode() == opcode) {
                connection.response(command.commandId(), status, 0);
                return true;
            }
            return others.onCommand(connection, command);
        };
    }

    @Test
    void shouldSayWhetherBlocksHoldTheData() {
        ByteBuffer data = random(1024, 1);
        target.script = (connection, command) -> {
            if (connection.queueId == 0 || command.opcode() != COMPARE) {
                return false;
            }
            boolean same = Arrays.equals(command.data(), bytes(data));
            connection.response(command.commandId(), same ? 0 : Status.COMPARE_FAILURE, 0);
            return true;
        };
        try (Controller controller = connect()) {
            Namespace namespace = controller.namespace(1);
            namespace.compare(5, data).join();
            assertEquals(Status.COMPARE_FAILURE, statusOf(namespace.compare(5, random(1024, 2))));
        }
        ReceivedPdu sent = target.commands(1, COMPARE).get(0);
        assertEquals(1, sent.cdw(1));
        assertEquals(5, sent.i64(8 + 40));
        assertEquals(1, sent.cdw(12));
        assertEquals(0, fuse(sent));
    }

    @Test
    void shouldCutVerifyAndWriteUncorrectableAsTheControllerWantsThem() {
        answer(VERIFY, 0);
        answer(WRITE_UNCORRECTABLE, 0);
        ScriptedTarget.Script others = target.script;
        target.script = (connection, command) -> {
            if (connection.queueId == 0 && command.opcode() == 0x06 && (command.cdw(10) & 0xFF) == 0x06) {
                byte[] limits = new byte[4096];
                limits[0] = 2; // VSL: 16 KiB
                limits[2] = 1; // WUSL: 8 KiB
                target.sendAll(connection, command.commandId(), limits);
                return true;
            }
            return others.onCommand(connection, command);
        };
        try (Controller controller = connect()) {
            Namespace namespace = controller.namespace(1);
            namespace.verify(7, 40).join();
            namespace.writeUncorrectable(100, 16).join();
            assertThrows(IllegalArgumentException.class, () -> namespace.verify(0, 0));
        }
        List<ReceivedPdu> verifies = target.commands(1, VERIFY);
        assertEquals(List.of(7L, 39L), verifies.stream().map(c -> c.i64(8 + 40)).toList());
        assertEquals(List.of(31, 7), verifies.stream().map(c -> c.cdw(12)).toList());
        assertEquals(0, verifies.get(0).sglLength());
        assertEquals(1, target.commands(1, WRITE_UNCORRECTABLE).size());
        assertEquals(15, target.commands(1, WRITE_UNCORRECTABLE).get(0).cdw(12));
    }

    @Test
    void shouldCopyInCommandsOfTheLengthThatTheNamespaceTakes() {
        answer(COPY, 0);
        ScriptedTarget.Script others = target.script;
        target.script = (connection, command) -> {
            if (connection.queueId == 0 && command.opcode() == 0x06 && (command.cdw(10) & 0xFF) == 0) {
                byte[] data = target.identify(0, 1);
                ByteBuffer.wrap(data)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putShort(74, (short) 8) // MSSRL
                        .putInt(76, 12) // MCL
                        .put(80, (byte) 1); // MSRC: 2 ranges
                target.sendAll(connection, command.commandId(), data);
                return true;
            }
            return others.onCommand(connection, command);
        };
        try (Controller controller = connect()) {
            controller
                    .namespace(1)
                    .copy(List.of(new BlockRange(100, 10), new BlockRange(300, 5)), 1000)
                    .join();
            controller.namespace(1).copy(List.of(), 0).join();
        }
        List<ReceivedPdu> copies = target.commands(1, COPY);
        assertEquals(2, copies.size());
        assertEquals(1000, copies.get(0).i64(8 + 40));
        assertEquals(1, copies.get(0).cdw(12)); // 100+8 108+2
        ByteBuffer ranges = ByteBuffer.wrap(copies.get(0).data()).order(ByteOrder.LITTLE_ENDIAN);
        assertEquals(64, ranges.capacity());
        assertEquals(100, ranges.getLong(8));
        assertEquals(7, ranges.getShort(16));
        assertEquals(108, ranges.getLong(40));
        assertEquals(1, ranges.getShort(48));
        assertEquals(1010, copies.get(1).i64(8 + 40));
        assertEquals(0, copies.get(1).cdw(12)); // 300+5
        assertEquals(
                4,
                ByteBuffer.wrap(copies.get(1).data())
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .getShort(16));
    }

    @Test
    void shouldStopCopyingWithTheFirstFailure() {
        answer(COPY, Status.COMMAND_SIZE_LIMIT_EXCEEDED | Status.DNR);
        try (Controller controller = connect()) {
            CompletableFuture<Void> copy = controller.namespace(1).copy(List.of(new BlockRange(0, 0x2_0000)), 0);
            assertEquals(Status.COMMAND_SIZE_LIMIT_EXCEEDED | Status.DNR, statusOf(copy));
        }
        assertEquals(1, target.commands(1, COPY).size());
    }

    // ---- Fused pairs

    @ParameterizedTest
    @CsvSource({
        // status of compare and write; whether it wrote, or what fails
        "0,     0,     true",
        "0x285, 0x009, false",
        "0x080, 0x009, 0x080",
        "0x009, 0x281, 0x281",
        "0,     0x281, 0x281",
        "0x285, 0,     0x285"
    })
    void shouldTellTheOutcomeOfBothCommands(String compare, String write, String expected) {
        answer(COMPARE, Integer.decode(compare));
        answer(WRITE, Integer.decode(write));
        try (Controller controller = connect()) {
            CompletableFuture<Boolean> done =
                    controller.namespace(1).compareAndWrite(3, random(512, 1), random(512, 2));
            if (expected.startsWith("0x")) {
                assertEquals(Integer.decode(expected), statusOf(done));
                FusedCommandException failure = assertInstanceOf(
                        FusedCommandException.class,
                        assertThrows(CompletionException.class, done::join).getCause());
                assertEquals(Integer.decode(compare), failure.compareStatus());
                assertEquals(Integer.decode(write), failure.writeStatus());
            } else {
                assertEquals(Boolean.valueOf(expected), done.join());
            }
        }
        ReceivedPdu first = target.commands(1, COMPARE).get(0);
        ReceivedPdu second = target.commands(1, WRITE).get(0);
        assertEquals(1, fuse(first));
        assertEquals(2, fuse(second));
        assertEquals(0x41, first.u8(9)); // PSDT stays
        assertEquals(3, first.i64(8 + 40));
        assertEquals(3, second.i64(8 + 40));
    }

    @Test
    void shouldSendFusedCommandsNextToEachOtherWhateverElseIsSent() throws Exception {
        target.script = (connection, command) -> {
            boolean matches = connection.queueId > 0 && command.opcode() == COMPARE;
            if (matches) {
                target.pull(connection, command.commandId(), 16384);
                connection.response(command.commandId(), 0, 0);
            }
            return matches;
        };
        try (Controller controller = host.connect(options().queueDepth(6).waitingRequests(4000))) {
            Namespace namespace = controller.namespace(1);
            List<CompletableFuture<?>> all = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                all.add(namespace.write(i, random(512, i)));
                all.add(namespace.compareAndWrite(i, random(16384, i), random(16384, i)));
                all.add(namespace.read(i, ByteBuffer.allocateDirect(512)));
            }
            CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
        }
        List<ReceivedPdu> commands = target.received.stream()
                .filter(pdu -> pdu.type() == ReceivedPdu.CAPSULE_CMD && pdu.queueId() == 1)
                .toList();
        int pairs = 0;
        for (int i = 0; i < commands.size(); i++) {
            if (fuse(commands.get(i)) == 1) {
                pairs++;
                assertEquals(2, fuse(commands.get(i + 1)));
                assertEquals(commands.get(i).i64(8 + 40), commands.get(i + 1).i64(8 + 40));
            } else if (fuse(commands.get(i)) == 2) {
                assertEquals(1, fuse(commands.get(i - 1)));
            }
        }
        assertEquals(300, pairs);
    }

    @Test
    void shouldFailBothWhenTheQueueHasNoRoomForTwo() {
        try (Controller controller = host.connect(options().queueDepth(2))) {
            Namespace namespace = controller.namespace(1);
            assertEquals(
                    Status.INVALID_QUEUE_SIZE, statusOf(namespace.compareAndWrite(0, random(512, 1), random(512, 2))));
            namespace.flush().join();
        }
        assertTrue(target.commands(1, COMPARE).isEmpty());
    }

    @Test
    void shouldFailBothWhenTheControllerIsGone() {
        Controller controller = connect();
        Namespace namespace = controller.namespace(1);
        controller.close();
        assertEquals(Status.ABORTED_BY_HOST, statusOf(namespace.compareAndWrite(0, random(512, 1), random(512, 2))));
    }

    @Test
    void shouldRefusePairsThatCannotBe() {
        try (Controller controller = host.connect(options().waitingRequests(0).queueDepth(3))) {
            Namespace namespace = controller.namespace(1);
            ByteBuffer half = ByteBuffer.allocateDirect((1 << 19) + 512);
            for (CompletableFuture<Boolean> refused : List.of(
                    namespace.compareAndWrite(0, random(512, 1), random(1024, 1)),
                    namespace.compareAndWrite(0, random(100, 1), random(100, 1)),
                    namespace.compareAndWrite(0, half, half))) {
                assertInstanceOf(
                        IllegalArgumentException.class,
                        assertThrows(CompletionException.class, refused::join).getCause());
            }
            // None of them has kept a request of the pool.
            answer(COMPARE, Status.COMPARE_FAILURE);
            answer(WRITE, Status.FAILED_FUSED_COMMAND);
            assertFalse(
                    namespace.compareAndWrite(0, random(512, 1), random(512, 2)).join());
        }
    }
}
