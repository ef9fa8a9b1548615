package io.nvmf.target;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Cqe;
import io.nvmf.codec.Opcode;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.identify.Cns;
import io.nvmf.codec.identify.IdentifyCommand;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.Nguid;
import io.nvmf.codec.nvm.CopyCommand;
import io.nvmf.codec.nvm.CopyRange;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.codec.tcp.PduType;
import io.nvmf.codec.tcp.R2T;
import io.nvmf.target.config.NamespaceConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compare and Write as one: pairs, broken pairs, and that nobody comes between. */
class FusedCommandsTest extends TargetTestBase {
    private static final int DNR = Status.DNR;
    private static final int FAILED = Status.FAILED_FUSED_COMMAND | DNR;
    private static final int MISSING = Status.MISSING_FUSED_COMMAND | DNR;
    private static final int COMPARE_ID = 1;
    private static final int WRITE_ID = 2;

    private RawHost admin;
    private RawHost io;
    private int controllerId;

    @BeforeEach
    void connect() throws IOException {
        start();
        admin = open();
        controllerId = admin.connectAdmin(NQN, 0);
        admin.enable();
        io = openIo(1);
    }

    @AfterEach
    void closeHosts() throws IOException {
        io.close();
        admin.close();
    }

    private RawHost openIo(int queueId) throws IOException {
        RawHost host = open();
        host.initialize(0, 0);
        host.connectIo(controllerId, queueId, 31, NQN);
        return host;
    }

    private static byte[] filled(int bytes, int value) {
        byte[] data = new byte[bytes];
        Arrays.fill(data, (byte) value);
        return data;
    }

    private static Sqe half(int fuse, long nsid, long startBlock, int blocks) {
        boolean first = fuse == Sqe.FUSED_FIRST;
        return ReadWriteCommand.encode(
                        Sqe.allocate(), first ? Opcode.Nvm.COMPARE : Opcode.Nvm.WRITE, nsid, startBlock, blocks)
                .fuse(fuse)
                .commandId(first ? COMPARE_ID : WRITE_ID);
    }

    private static byte[] inCapsule(RawHost host, Sqe sqe, byte[] data) {
        sqe.sgl1().set(SglDescriptor.IN_CAPSULE, 0, data.length);
        return host.capsule(sqe, data);
    }

    private static byte[] asked(RawHost host, Sqe sqe, int bytes) {
        sqe.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, bytes);
        return host.capsule(sqe, new byte[0]);
    }

    /** Reads completions and answers R2Ts, until so many commands are done; statuses by command id. */
    private static Map<Integer, Integer> finish(RawHost host, int commands, Map<Integer, byte[]> data)
            throws IOException {
        Map<Integer, Integer> statuses = new HashMap<>();
        while (statuses.size() < commands) {
            RawHost.Pdu pdu = host.read();
            if (pdu.type() == PduType.R2T) {
                int id = Bytes.u16(pdu.header(), 8);
                host.send(host.hostData(id, R2T.transferTag(pdu.header()), 0, data.get(id), true));
            } else {
                Cqe cqe = pdu.completion();
                statuses.put(cqe.commandId(), cqe.status());
            }
        }
        return statuses;
    }

    private static Map<Integer, Integer> statuses(int compare, int write) {
        return Map.of(COMPARE_ID, compare, WRITE_ID, write);
    }

    private static Map<Integer, Integer> pair(RawHost host, long nsid, long startBlock, byte[] expected, byte[] next)
            throws IOException {
        int blocks = expected.length / (nsid == 2 ? 4096 : 512);
        host.send(inCapsule(host, half(Sqe.FUSED_FIRST, nsid, startBlock, blocks), expected));
        host.send(inCapsule(host, half(Sqe.FUSED_SECOND, nsid, startBlock, blocks), next));
        return finish(host, 2, Map.of());
    }

    private byte[] read(long nsid, long startBlock, int bytes) throws IOException {
        int blocks = bytes / (nsid == 2 ? 4096 : 512);
        return io.executeRead(
                ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.READ, nsid, startBlock, blocks), bytes);
    }

    @Test
    void shouldSayHowMuchIsAtomic() throws IOException {
        byte[] page = admin.executeRead(IdentifyCommand.encode(Sqe.allocate(), Cns.CONTROLLER, 0, 0, 0), 4096);
        IdentifyController data =
                IdentifyController.decode(ByteBuffer.wrap(page).order(ByteOrder.LITTLE_ENDIAN), 0);
        assertEquals(1, data.get(IdentifyController.Field.FUSES));
        assertEquals(15, data.get(IdentifyController.Field.ACWU));
        assertEquals(0, data.get(IdentifyController.Field.AWUN));
        assertEquals(0, data.get(IdentifyController.Field.AWUPF));
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void shouldWriteWhenTheBlocksAreAsExpected(boolean compareInCapsule, boolean writeInCapsule) throws IOException {
        int bytes = compareInCapsule || writeInCapsule ? 8192 : 65536;
        int blocks = bytes / 4096;
        Map<Integer, byte[]> data = Map.of(COMPARE_ID, new byte[bytes], WRITE_ID, filled(bytes, 7));
        Sqe compare = half(Sqe.FUSED_FIRST, 2, 10, blocks);
        Sqe write = half(Sqe.FUSED_SECOND, 2, 10, blocks);
        io.send(compareInCapsule ? inCapsule(io, compare, data.get(COMPARE_ID)) : asked(io, compare, bytes));
        io.send(writeInCapsule ? inCapsule(io, write, data.get(WRITE_ID)) : asked(io, write, bytes));
        assertEquals(statuses(0, 0), finish(io, 2, data));
        assertArrayEquals(filled(bytes, 7), read(2, 10, bytes));
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void shouldWriteNothingWhenTheBlocksDiffer(boolean inCapsule) throws IOException {
        byte[] expected = new byte[4096];
        expected[4095] = 1;
        Map<Integer, byte[]> data = Map.of(COMPARE_ID, expected, WRITE_ID, filled(4096, 7));
        Sqe compare = half(Sqe.FUSED_FIRST, 2, 10, 1);
        Sqe write = half(Sqe.FUSED_SECOND, 2, 10, 1);
        io.send(inCapsule ? inCapsule(io, compare, expected) : asked(io, compare, 4096));
        io.send(inCapsule ? inCapsule(io, write, data.get(WRITE_ID)) : asked(io, write, 4096));
        assertEquals(statuses(Status.COMPARE_FAILURE | DNR, FAILED), finish(io, 2, data));
        assertArrayEquals(new byte[4096], read(2, 10, 4096));
    }

    @Test
    void shouldTakeDataInAnyOrder() throws IOException {
        io.send(asked(io, half(Sqe.FUSED_FIRST, 1, 0, 1), 512));
        io.send(asked(io, half(Sqe.FUSED_SECOND, 1, 0, 1), 512));
        Map<Integer, Integer> tags = new HashMap<>();
        for (int i = 0; i < 2; i++) {
            RawHost.Pdu r2t = io.read();
            tags.put(Bytes.u16(r2t.header(), 8), R2T.transferTag(r2t.header()));
        }
        io.send(io.hostData(WRITE_ID, tags.get(WRITE_ID), 0, filled(512, 3), true));
        io.send(io.hostData(COMPARE_ID, tags.get(COMPARE_ID), 0, new byte[512], true));
        assertEquals(statuses(0, 0), finish(io, 2, Map.of()));
        assertArrayEquals(filled(512, 3), read(1, 0, 512));
    }

    // ---- broken pairs

    @Test
    void shouldMissTheSecondHalfWhenAnotherCommandComes() throws IOException {
        io.send(inCapsule(io, half(Sqe.FUSED_FIRST, 1, 0, 1), new byte[512]));
        io.send(io.capsule(Sqe.allocate().clear(Opcode.Nvm.FLUSH).nsid(1).commandId(9), new byte[0]));
        assertEquals(Map.of(COMPARE_ID, MISSING, 9, 0), finish(io, 2, Map.of()));
        io.send(inCapsule(io, half(Sqe.FUSED_SECOND, 1, 0, 1), new byte[512]));
        assertEquals(Map.of(WRITE_ID, MISSING), finish(io, 1, Map.of()), "too late");
        io.send(inCapsule(io, half(Sqe.FUSED_FIRST, 1, 0, 1).commandId(5), new byte[512]));
        io.send(inCapsule(io, half(Sqe.FUSED_FIRST, 1, 0, 1), new byte[512]));
        io.send(inCapsule(io, half(Sqe.FUSED_SECOND, 1, 0, 1), new byte[512]));
        assertEquals(Map.of(5, MISSING, COMPARE_ID, 0, WRITE_ID, 0), finish(io, 3, Map.of()), "a first after a first");
    }

    @Test
    void shouldRefuseHalvesThatDoNotBelongTogether() throws IOException {
        io.send(inCapsule(io, half(Sqe.FUSED_FIRST, 1, 0, 1), new byte[512]));
        io.send(inCapsule(io, half(Sqe.FUSED_SECOND, 1, 1, 1), filled(512, 1)));
        assertEquals(statuses(Status.INVALID_FIELD | DNR, FAILED), finish(io, 2, Map.of()));
        io.send(inCapsule(io, half(Sqe.FUSED_FIRST, 1, 0, 1), new byte[512]));
        io.send(asked(
                io,
                ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.READ, 1, 0, 1)
                        .fuse(Sqe.FUSED_SECOND)
                        .commandId(WRITE_ID),
                512));
        assertEquals(statuses(MISSING, Status.INVALID_OPCODE | DNR), finish(io, 2, Map.of()));
        io.send(inCapsule(
                io,
                ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.WRITE, 1, 0, 1)
                        .fuse(Sqe.FUSED_FIRST)
                        .commandId(COMPARE_ID),
                new byte[512]));
        io.send(inCapsule(io, half(Sqe.FUSED_SECOND, 1, 0, 1), filled(512, 1)));
        assertEquals(statuses(Status.INVALID_OPCODE | DNR, MISSING), finish(io, 2, Map.of()));
        assertArrayEquals(new byte[512], read(1, 0, 512));
    }

    @Test
    void shouldFailBothWhenOneIsRefused() throws IOException {
        long blocks = NAMESPACE_BYTES / 512;
        assertEquals(
                statuses(Status.LBA_OUT_OF_RANGE | DNR, FAILED), pair(io, 1, blocks, new byte[512], new byte[512]));
        assertEquals(
                statuses(Status.INVALID_NAMESPACE_OR_FORMAT | DNR, FAILED),
                pair(io, 9, 0, new byte[512], new byte[512]));
        io.send(inCapsule(io, half(Sqe.FUSED_FIRST, 1, 0, 1), new byte[512]));
        io.send(inCapsule(io, half(Sqe.FUSED_SECOND, 1, 0, 1), new byte[1024]));
        assertEquals(statuses(FAILED, Status.SGL_DATA_LENGTH_INVALID | DNR), finish(io, 2, Map.of()));
        io.send(asked(io, half(Sqe.FUSED_FIRST, 1, 0, 17), 17 * 512));
        io.send(asked(io, half(Sqe.FUSED_SECOND, 1, 0, 17), 17 * 512));
        assertEquals(statuses(Status.ATOMIC_WRITE_UNIT_EXCEEDED | DNR, FAILED), finish(io, 2, Map.of()));
        Sqe both = half(Sqe.FUSED_FIRST, 1, 0, 1).fuse(3);
        both.sgl1().set(SglDescriptor.IN_CAPSULE, 0, 512);
        assertEquals(Status.INVALID_FIELD | DNR, io.execute(both, new byte[512]).status());
        Sqe onAdmin = Sqe.allocate().clear(Opcode.Admin.IDENTIFY).fuse(Sqe.FUSED_FIRST);
        assertEquals(Status.INVALID_FIELD | DNR, admin.execute(onAdmin).status());
    }

    // ---- atomicity

    /** Many hosts count one block up: no step may be lost, whichever loop they are on. */
    @Test
    void shouldLoseNoStepOfHostsThatCountTogether() throws Exception {
        int hosts = 4;
        int steps = 50;
        ExecutorService threads = Executors.newFixedThreadPool(hosts);
        List<RawHost> opened = new ArrayList<>();
        try {
            List<Future<Integer>> counting = new ArrayList<>();
            for (int i = 0; i < hosts; i++) {
                RawHost host = i == 0 ? io : openIo(1 + i);
                opened.add(host);
                Callable<Integer> counter = () -> countUp(host, steps);
                counting.add(threads.submit(counter));
            }
            int failures = 0;
            for (Future<Integer> each : counting) {
                failures += each.get(60, TimeUnit.SECONDS);
            }
            System.out.println("FusedCommandsTest: " + failures + " steps were tried again");
            assertEquals(hosts * steps, ByteBuffer.wrap(read(1, 77, 512)).getInt(0));
        } finally {
            threads.shutdownNow();
            for (RawHost host : opened) {
                host.close();
            }
        }
    }

    private static int countUp(RawHost host, int steps) throws IOException {
        int failures = 0;
        for (int done = 0; done < steps; ) {
            Sqe read = ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.READ, 1, 77, 1);
            byte[] before = host.executeRead(read, 512);
            byte[] after = before.clone();
            ByteBuffer.wrap(after).putInt(0, ByteBuffer.wrap(before).getInt(0) + 1);
            Map<Integer, Integer> statuses = pair(host, 1, 77, before, after);
            if (statuses.get(COMPARE_ID) == 0) {
                assertEquals(0, statuses.get(WRITE_ID));
                done++;
            } else {
                assertEquals(statuses(Status.COMPARE_FAILURE | DNR, FAILED), statuses);
                failures++;
            }
        }
        return failures;
    }

    private static Sqe held(int opcode, long startBlock) {
        Sqe sqe = ReadWriteCommand.encode(Sqe.allocate(), opcode, 3, startBlock, 1);
        sqe.sgl1().set(SglDescriptor.IN_CAPSULE, 0, 512);
        return sqe;
    }

    @Test
    void shouldKeepEveryoneOffTheBlocksAndWaitForThoseWhoCameBefore() throws Exception {
        HeldDevice device = new HeldDevice();
        target.administration().addNamespace(NQN, new NamespaceConfig(3, device, 512, new UUID(9, 9), new Nguid(9, 9)));
        try (RawHost other = openIo(2);
                RawHost third = openIo(3)) {
            int before = other.submit(held(Opcode.Nvm.WRITE, 5), filled(512, 1));
            Awaitility.await().until(() -> device.held() == 1);
            io.send(inCapsule(io, half(Sqe.FUSED_FIRST, 3, 5, 1), filled(512, 1)));
            io.send(inCapsule(io, half(Sqe.FUSED_SECOND, 3, 5, 1), filled(512, 2)));
            // Elsewhere the world goes on; when it has answered, the pair has long arrived.
            assertEquals(
                    0, third.execute(held(Opcode.Nvm.COMPARE, 6), new byte[512]).status());
            assertEquals(1, device.held(), "the pair waits for the write");
            device.letGoAndHold();
            assertEquals(0, other.completionOf(before).status());
            Awaitility.await().until(() -> device.held() == 1);
            Sqe read = ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.READ, 3, 5, 1);
            read.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 512);
            int after = third.submit(read);
            int beside = third.submit(held(Opcode.Nvm.COMPARE, 6), new byte[512]);
            assertEquals(0, third.completionOf(beside).status(), "the other has been waiting");
            device.letGo();
            assertEquals(statuses(0, 0), finish(io, 2, Map.of()));
            assertArrayEquals(filled(512, 2), third.read().data(), "and sees what the pair has written");
            assertEquals(0, third.completionOf(after).status());
        }
    }

    @Test
    void shouldKeepWritesOffTheBlocksThatTheDeviceWouldTakeAtOnce() throws Exception {
        HeldDevice device = new HeldDevice();
        target.administration().addNamespace(NQN, new NamespaceConfig(3, device, 512, new UUID(9, 9), new Nguid(9, 9)));
        try (RawHost other = openIo(2)) {
            io.send(inCapsule(io, half(Sqe.FUSED_FIRST, 3, 5, 1), new byte[512]));
            io.send(inCapsule(io, half(Sqe.FUSED_SECOND, 3, 5, 1), filled(512, 1)));
            Awaitility.await().until(() -> device.held() == 1);
            device.takeAtOnce();
            int same = other.submit(held(Opcode.Nvm.WRITE, 5), filled(512, 2));
            int beside = other.submit(held(Opcode.Nvm.WRITE, 6), filled(512, 3));
            assertEquals(0, other.completionOf(beside).status(), "the first has been waiting");
            device.letGo();
            assertEquals(0, other.completionOf(same).status());
            assertEquals(statuses(0, 0), finish(io, 2, Map.of()));
            assertArrayEquals(filled(512, 2), read(3, 5, 512));
            assertArrayEquals(filled(512, 3), read(3, 6, 512));
        }
    }

    @Test
    void shouldGiveTheBlocksBackWhenTheHostHasGone() throws Exception {
        HeldDevice device = new HeldDevice();
        target.administration().addNamespace(NQN, new NamespaceConfig(3, device, 512, new UUID(9, 9), new Nguid(9, 9)));
        try (RawHost gone = openIo(2)) {
            gone.send(inCapsule(gone, half(Sqe.FUSED_FIRST, 3, 5, 1), new byte[512]));
            gone.send(inCapsule(gone, half(Sqe.FUSED_SECOND, 3, 5, 1), filled(512, 2)));
            Awaitility.await().until(() -> device.held() == 1);
            gone.send(inCapsule(gone, half(Sqe.FUSED_FIRST, 3, 9, 1).commandId(7), new byte[512]));
        }
        device.letGo();
        assertEquals(0, io.execute(held(Opcode.Nvm.COMPARE, 5), filled(512, 2)).status());
        assertTrue(pair(io, 3, 5, filled(512, 2), new byte[512]).get(WRITE_ID) == 0);
    }

    @Test
    void shouldGiveTheBlocksBackWhenTheDeviceThrows() throws Exception {
        HeldDevice device = new HeldDevice();
        device.letGo();
        target.administration().addNamespace(NQN, new NamespaceConfig(3, device, 512, new UUID(9, 9), new Nguid(9, 9)));
        int broken = Status.INTERNAL_ERROR;
        int failed = Status.FAILED_FUSED_COMMAND;
        device.throwOn(HeldDevice.Call.READ);
        assertEquals(statuses(broken, failed), pair(io, 3, 5, new byte[512], filled(512, 1)));
        assertEquals(
                broken, io.execute(held(Opcode.Nvm.COMPARE, 5), new byte[512]).status());
        device.throwOn(HeldDevice.Call.WRITE);
        assertEquals(statuses(failed, broken), pair(io, 3, 5, new byte[512], filled(512, 1)));
        assertEquals(
                broken, io.execute(held(Opcode.Nvm.WRITE, 5), new byte[512]).status());
        assertEquals(broken, io.execute(copy(5), source()).status());
        device.throwOn();
        assertEquals(statuses(0, 0), pair(io, 3, 5, new byte[512], filled(512, 1)));
    }

    private static Sqe copy(long toBlock) {
        Sqe sqe = CopyCommand.encode(Sqe.allocate(), 3, toBlock, 1);
        sqe.sgl1().set(SglDescriptor.IN_CAPSULE, 0, CopyRange.BYTES);
        return sqe;
    }

    private static byte[] source() {
        ByteBuffer range = Bytes.allocate(CopyRange.BYTES);
        new CopyRange().wrap(range, 0).set(0, 1);
        return range.array();
    }

    // ---- Abort

    @Test
    void shouldAbortWhatWaitsForAScratchBuffer() throws Exception {
        HeldDevice device = new HeldDevice();
        target.administration().addNamespace(NQN, new NamespaceConfig(3, device, 512, new UUID(9, 9), new Nguid(9, 9)));
        int copies = 16;
        for (int i = 0; i < copies; i++) {
            io.submit(copy(10 + i), source());
        }
        Awaitility.await().until(() -> device.held() == copies);
        int waiting = io.submit(held(Opcode.Nvm.COMPARE, 5), new byte[512]);
        Awaitility.await().until(() -> abort(1, waiting) == 0);
        assertEquals(Status.ABORT_REQUESTED, io.completionOf(waiting).status());
        io.send(inCapsule(io, half(Sqe.FUSED_FIRST, 3, 5, 1), new byte[512]));
        io.send(inCapsule(io, half(Sqe.FUSED_SECOND, 3, 5, 1), filled(512, 2)));
        Awaitility.await().until(() -> abort(1, WRITE_ID) == 0);
        assertEquals(statuses(Status.FAILED_FUSED_COMMAND, Status.ABORT_REQUESTED), finish(io, 2, Map.of()));
        device.letGo();
        assertEquals(Set.of(0), Set.copyOf(finish(io, copies, Map.of()).values()));
        assertEquals(0, io.execute(held(Opcode.Nvm.COMPARE, 5), new byte[512]).status(), "all buffers are back");
    }

    private long abort(int queueId, int commandId) throws IOException {
        return admin.execute(Sqe.allocate().clear(Opcode.Admin.ABORT).cdw(10, queueId | (long) commandId << 16))
                .dw0();
    }

    @Test
    void shouldAbortAHalfThatWaitsForTheOther() throws IOException {
        io.send(asked(io, half(Sqe.FUSED_FIRST, 1, 0, 1), 512));
        // The queue takes commands in order: when this one is refused, the half has arrived.
        Awaitility.await().until(() -> abort(1, COMPARE_ID) == 0);
        assertEquals(Map.of(COMPARE_ID, Status.ABORT_REQUESTED), finish(io, 1, Map.of()));
        io.send(inCapsule(io, half(Sqe.FUSED_SECOND, 1, 0, 1), new byte[512]));
        assertEquals(Map.of(WRITE_ID, Status.FAILED_FUSED_COMMAND), finish(io, 1, Map.of()));
    }

    @ParameterizedTest
    @CsvSource({"1", "2"})
    void shouldAbortBothWhenOneIsAbortedWhileItsDataIsOnTheWay(int commandId) throws IOException {
        io.send(asked(io, half(Sqe.FUSED_FIRST, 1, 0, 1), 512));
        io.send(asked(io, half(Sqe.FUSED_SECOND, 1, 0, 1), 512));
        List<RawHost.Pdu> r2ts = List.of(io.read(), io.read());
        assertEquals(0, abort(1, commandId));
        for (RawHost.Pdu r2t : r2ts) {
            int id = Bytes.u16(r2t.header(), 8);
            io.send(io.hostData(id, R2T.transferTag(r2t.header()), 0, new byte[512], true));
        }
        Map<Integer, Integer> expected = commandId == COMPARE_ID
                ? statuses(Status.ABORT_REQUESTED, Status.FAILED_FUSED_COMMAND)
                : statuses(Status.FAILED_FUSED_COMMAND, Status.ABORT_REQUESTED);
        assertEquals(expected, finish(io, 2, Map.of()));
    }

    @Test
    void shouldAbortWhatWaitsForBlocksAndLeaveWhatTheDeviceHas() throws IOException {
        HeldDevice device = new HeldDevice();
        target.administration().addNamespace(NQN, new NamespaceConfig(3, device, 512, new UUID(9, 9), new Nguid(9, 9)));
        try (RawHost other = openIo(2)) {
            io.send(inCapsule(io, half(Sqe.FUSED_FIRST, 3, 5, 1), new byte[512]));
            io.send(inCapsule(io, half(Sqe.FUSED_SECOND, 3, 5, 1), filled(512, 2)));
            Awaitility.await().until(() -> device.held() == 1);
            int waiting = other.submit(held(Opcode.Nvm.WRITE, 5), filled(512, 3));
            Awaitility.await().until(() -> abort(2, waiting) == 0);
            assertEquals(Status.ABORT_REQUESTED, other.completionOf(waiting).status());
            other.send(inCapsule(other, half(Sqe.FUSED_FIRST, 3, 5, 1), new byte[512]));
            other.send(inCapsule(other, half(Sqe.FUSED_SECOND, 3, 5, 1), filled(512, 4)));
            Awaitility.await().until(() -> abort(2, WRITE_ID) == 0);
            assertEquals(statuses(Status.FAILED_FUSED_COMMAND, Status.ABORT_REQUESTED), finish(other, 2, Map.of()));
            assertEquals(1, abort(1, WRITE_ID), "the device has it");
            device.letGo();
            assertEquals(statuses(0, 0), finish(io, 2, Map.of()));
        }
        byte[] stored = io.executeRead(ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.READ, 3, 5, 1), 512);
        assertArrayEquals(filled(512, 2), stored);
    }
}
