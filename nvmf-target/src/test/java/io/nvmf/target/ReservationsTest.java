package io.nvmf.target;

import static io.nvmf.target.ReservingHost.CONFLICT;
import static io.nvmf.target.ReservingHost.INVALID_FIELD;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Opcode;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.feature.FeatureId;
import io.nvmf.codec.feature.FeaturesCommand;
import io.nvmf.codec.identify.Cns;
import io.nvmf.codec.identify.IdentifyCommand;
import io.nvmf.codec.identify.IdentifyNamespace;
import io.nvmf.codec.identify.Nguid;
import io.nvmf.codec.log.GetLogPageCommand;
import io.nvmf.codec.log.LogPageId;
import io.nvmf.codec.log.ReservationNotification;
import io.nvmf.codec.nvm.CopyCommand;
import io.nvmf.codec.nvm.CopyRange;
import io.nvmf.codec.nvm.DatasetManagementCommand;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.codec.reservation.ReservationCommand;
import io.nvmf.codec.reservation.ReservationStatus;
import io.nvmf.codec.reservation.ReservationStatus.Registrant;
import io.nvmf.codec.reservation.ReservationType;
import io.nvmf.codec.tcp.PduType;
import io.nvmf.codec.tcp.R2T;
import io.nvmf.target.backend.memory.MemoryBlockDevice;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.state.StateFile;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reservations as three hosts see them over TCP. */
class ReservationsTest extends TargetTestBase {
    private static final UUID A = new UUID(0x1122_3344_5566_7788L, 0xA);
    private static final UUID B = new UUID(0x1122_3344_5566_7788L, 0xB);
    private static final UUID C = new UUID(0x1122_3344_5566_7788L, 0xC);
    private static final long HELD_NSID = 3;

    @TempDir
    Path directory;

    private final HeldDevice device = new HeldDevice();
    private ReservingHost a;
    private ReservingHost b;
    private ReservingHost c;

    @BeforeEach
    void connect() throws IOException {
        start();
        a = host(A, 1, 0xAAAA);
        b = host(B, 1, 0xBBBB);
        c = host(C, 1, 0xCCCC);
    }

    @AfterEach
    void disconnect() throws IOException {
        a.close();
        b.close();
        c.close();
    }

    private ReservingHost host(UUID hostId, long nsid, long key) throws IOException {
        return new ReservingHost(target.addresses().get(0), hostId, nsid, key);
    }

    /** Which of a host's commands the reservation lets through, by a letter each. */
    private static String let(ReservingHost host) throws IOException {
        StringBuilder let = new StringBuilder();
        Sqe read = ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.READ, 1, 0, 1);
        read.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 512);
        int readId = host.io.submit(read);
        RawHost.Pdu answer = host.io.read();
        if (answer.type() == PduType.C2H_DATA) {
            assertEquals(0, host.io.completionOf(readId).status());
            let.append('r');
        } else {
            assertEquals(CONFLICT, answer.completion().status());
            let.append('-');
        }
        let.append(letter('w', host.write()));
        Sqe zeroes = ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.WRITE_ZEROES, 1, 0, 1);
        let.append(letter('z', host.io.execute(zeroes).status()));
        Sqe deallocate = DatasetManagementCommand.encode(Sqe.allocate(), 1, 1, DatasetManagementCommand.DEALLOCATE);
        let.append(letter('d', host.execute(deallocate, new byte[16])));
        Sqe advise = DatasetManagementCommand.encode(Sqe.allocate(), 1, 1, DatasetManagementCommand.INTEGRAL_READ);
        let.append(letter('a', host.execute(advise, new byte[16])));
        Sqe compare = ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.COMPARE, 1, 0, 1);
        let.append(letter('c', host.execute(compare, new byte[512])));
        Sqe verify = ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.VERIFY, 1, 0, 1);
        let.append(letter('v', host.io.execute(verify).status()));
        Sqe spoil = ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.WRITE_UNCORRECTABLE, 1, 99, 1);
        let.append(letter('u', host.io.execute(spoil).status()));
        ByteBuffer source = Bytes.allocate(CopyRange.BYTES);
        new CopyRange().wrap(source, 0).set(0, 1);
        Sqe copy = CopyCommand.encode(Sqe.allocate(), 1, 50, 1);
        let.append(letter('y', host.execute(copy, source.array())));
        Sqe flush = Sqe.allocate().clear(Opcode.Nvm.FLUSH).nsid(1);
        let.append(letter('f', host.io.execute(flush).status()));
        flush.nsid(Sqe.NSID_ALL);
        return let.append(letter('F', host.io.execute(flush).status())).toString();
    }

    private static char letter(char letter, int status) {
        if (status == 0) {
            return letter;
        }
        assertEquals(CONFLICT, status);
        return '-';
    }

    @ParameterizedTest
    @CsvSource({
        "1, rwzdacvuyfF, r----cv----, r----cv----",
        "2, rwzdacvuyfF, -----------, -----------",
        "3, rwzdacvuyfF, rwzdacvuyfF, r----cv----",
        "4, rwzdacvuyfF, rwzdacvuyfF, -----------",
        "5, rwzdacvuyfF, rwzdacvuyfF, r----cv----",
        "6, rwzdacvuyfF, rwzdacvuyfF, -----------",
    })
    void shouldLetInWhomTheTypeLetsIn(int number, String holder, String registrant, String other) throws IOException {
        ReservationType type = ReservationType.of(number);
        assertEquals(0, a.register());
        assertEquals(0, b.register());
        assertEquals("rwzdacvuyfF", let(c), "registrations alone keep nobody out");
        assertEquals(0, a.acquire(type));
        assertEquals(holder, let(a));
        assertEquals(registrant, let(b));
        assertEquals(other, let(c));
        assertEquals(CONFLICT, c.acquire(type));
        assertEquals(CONFLICT, c.release(type));
        assertEquals(CONFLICT, c.clear());
        assertEquals(number > 4 ? 0 : CONFLICT, b.acquire(type));
        assertEquals(2, c.report().registrants().size(), "but anyone may look");
        assertEquals(0, a.release(type));
        assertEquals("rwzdacvuyfF", let(c));
    }

    @Test
    void shouldReserveOneNamespaceOnly() throws IOException {
        a.register();
        a.acquire(ReservationType.EXCLUSIVE_ACCESS);
        Sqe read = ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.READ, 2, 0, 1);
        assertArrayEquals(new byte[4096], b.io.executeRead(read, 4096));
    }

    @Test
    void shouldKnowAHostByItsIdentifierAndKeepItsRegistrationWhileItIsAway() throws IOException {
        a.register();
        a.acquire(ReservationType.WRITE_EXCLUSIVE);
        try (ReservingHost second = host(A, 1, 0xAAAA)) {
            assertEquals(0, second.write(), "another controller of the holder");
            a.close();
            assertEquals(CONFLICT, b.write());
        }
        assertEquals(CONFLICT, b.write());
        a = host(A, 1, 0xAAAA);
        assertEquals(0, a.write());
        assertEquals(0, a.unregister());
        assertEquals(0, b.write());
    }

    @Test
    void shouldReport() throws IOException {
        assertEquals(new ReservationStatus(0, null, false, List.of()), a.report());
        b.register();
        a.register();
        a.acquire(ReservationType.EXCLUSIVE_ACCESS_REGISTRANTS_ONLY);
        assertEquals(
                new ReservationStatus(
                        2,
                        ReservationType.EXCLUSIVE_ACCESS_REGISTRANTS_ONLY,
                        false,
                        List.of(new Registrant(0xFFFF, false, 0xBBBB, B), new Registrant(0xFFFF, true, 0xAAAA, A))),
                c.report());
        Sqe shortReport = ReservationCommand.encodeReport(Sqe.allocate(), 1, 8);
        assertArrayEquals(new byte[] {2, 0, 0, 0, 4, 2, 0, 0}, c.io.executeRead(shortReport, 8));
        a.release(ReservationType.EXCLUSIVE_ACCESS_REGISTRANTS_ONLY);
        a.acquire(ReservationType.WRITE_EXCLUSIVE_ALL_REGISTRANTS);
        assertEquals(
                2,
                c.report().registrants().stream()
                        .filter(Registrant::holdsReservation)
                        .count());
    }

    @Test
    void shouldRefuseReportsItCannotMake() throws IOException {
        Sqe notExtended = ReservationCommand.encodeReport(Sqe.allocate(), 1, 64).cdw(11, 0);
        notExtended.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 64);
        assertEquals(
                Status.HOST_ID_INCONSISTENT_FORMAT | Status.DNR,
                a.io.execute(notExtended).status());
        Sqe huge = ReservationCommand.encodeReport(Sqe.allocate(), 1, 64).cdw(10, 0xFFFF_FFFFL);
        huge.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 64);
        assertEquals(INVALID_FIELD, a.io.execute(huge).status());
        Sqe otherLength = ReservationCommand.encodeReport(Sqe.allocate(), 1, 64);
        otherLength.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 68);
        assertEquals(
                Status.SGL_DATA_LENGTH_INVALID | Status.DNR,
                a.io.execute(otherLength).status());
    }

    /** Opcode and CDW10 of commands that no state makes right. */
    @ParameterizedTest
    @CsvSource({
        "0x0d, 0x3", // RREGA
        "0x0d, 0x7",
        "0x0d, 0x40000000", // CPTPL
        "0x0d, 0xc0000000", // there is nowhere to persist
        "0x11, 0x103", // RACQA
        "0x11, 0x108", // IEKEY
        "0x11, 0x0", // RTYPE
        "0x11, 0x700",
        "0x11, 0xff01",
        "0x15, 0x102", // RRELA
        "0x15, 0x108", // IEKEY
        "0x15, 0x0", // RTYPE
        "0x15, 0x700",
    })
    void shouldRefuseFieldsThatMeanNothing(int opcode, long cdw10) throws IOException {
        a.register();
        Sqe sqe = Sqe.allocate().clear(opcode).nsid(1).cdw(10, cdw10);
        byte[] keys = ReservingHost.keys(0xAAAA, 0xAAAA);
        assertEquals(INVALID_FIELD, a.execute(sqe, keys));
        assertEquals(1, a.report().registrants().size());
        sqe.nsid(77);
        assertEquals(0x400B, a.execute(sqe, keys), "no such namespace");
    }

    @Test
    void shouldRefuseDataThatIsTooShortAndTakeWhatLinuxSends() throws IOException {
        a.register();
        a.acquire(ReservationType.WRITE_EXCLUSIVE);
        Sqe sqe = ReservationCommand.encodeRelease(Sqe.allocate(), 1, ReservationType.WRITE_EXCLUSIVE);
        assertEquals(Status.SGL_DATA_LENGTH_INVALID | Status.DNR, a.execute(sqe, new byte[7]));
        assertEquals(0, a.execute(sqe, ReservingHost.keys(0xAAAA, 0)), "16 bytes where 8 are needed");
        assertEquals(0, b.write());
        Sqe register = ReservationCommand.encodeRegister(Sqe.allocate(), 1, 0, false, 0);
        assertEquals(Status.SGL_DATA_LENGTH_INVALID | Status.DNR, a.execute(register, new byte[15]));
    }

    @Test
    void shouldNotKnowAHostWithoutIdentifier() throws IOException {
        try (ReservingHost nobody = host(new UUID(0, 0), 1, 5)) {
            assertEquals(Status.HOST_ID_NOT_INITIALIZED | Status.DNR, nobody.register());
            assertEquals(0, nobody.report().registrants().size());
        }
    }

    @Test
    void shouldLookAgainWhenTheDataOfAWriteHasCome() throws IOException {
        Sqe write = ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.WRITE, 1, 0, 1);
        write.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 512);
        int commandId = b.io.submit(write);
        RawHost.Pdu r2t = b.io.read();
        a.register();
        a.acquire(ReservationType.WRITE_EXCLUSIVE);
        b.io.send(b.io.hostData(commandId, R2T.transferTag(r2t.header()), 0, new byte[512], true));
        assertEquals(CONFLICT, b.io.completionOf(commandId).status());
    }

    @Test
    void shouldLookAgainWhenTheDataOfACapsuleHasCome() throws IOException {
        Sqe write = ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.WRITE, 1, 0, 1)
                .commandId(9);
        write.sgl1().set(SglDescriptor.IN_CAPSULE, 0, 512);
        assertConflictWhenReservedBeforeTheEnd(write, 512, ReservationType.WRITE_EXCLUSIVE);
    }

    @Test
    void shouldLookAgainWhenACapsuleOfAReadHasBroughtDataThatItDoesNotWant() throws IOException {
        Sqe read = ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.READ, 1, 0, 1)
                .commandId(9);
        read.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 512);
        assertConflictWhenReservedBeforeTheEnd(read, 1, ReservationType.EXCLUSIVE_ACCESS);
    }

    /** The namespace is reserved by the other host when the capsule, with 512 bytes of data, has come but for its end. */
    private void assertConflictWhenReservedBeforeTheEnd(Sqe sqe, int endBytes, ReservationType type)
            throws IOException {
        byte[] capsule = b.io.capsule(sqe, new byte[512]);
        b.io.send(capsule, 0, capsule.length - endBytes);
        a.register();
        a.acquire(type);
        b.io.send(capsule, capsule.length - endBytes, capsule.length);
        assertEquals(CONFLICT, b.io.completionOf(sqe.commandId()).status());
    }

    // ---- notifications

    private static int awaitEvent(ReservingHost host) throws IOException {
        return host.admin.submit(Sqe.allocate().clear(Opcode.Admin.ASYNC_EVENT_REQUEST));
    }

    private static void assertEvent(ReservingHost host, int request) throws IOException {
        assertEquals(0x0080_0006, host.admin.completionOf(request).dw0());
    }

    private static ReservationNotification readLog(ReservingHost host, boolean retain) throws IOException {
        Sqe sqe = GetLogPageCommand.encode(Sqe.allocate(), LogPageId.RESERVATION_NOTIFICATION, 64, 0);
        byte[] page = host.admin.executeRead(GetLogPageCommand.retainAsyncEvent(sqe, retain), 64);
        return ReservationNotification.decode(Bytes.allocate(64).put(0, page), 0);
    }

    /** Notifications come after the command that caused them; waits until there are so many pages. */
    private static void awaitPages(ReservingHost host, int pages) {
        Awaitility.await().until(() -> {
            ReservationNotification oldest = readLog(host, true);
            return oldest.type() != 0 && oldest.availablePages() == pages - 1;
        });
    }

    private int setMask(ReservingHost host, long nsid, long mask) throws IOException {
        Sqe sqe = FeaturesCommand.encodeSet(Sqe.allocate(), FeatureId.RESERVATION_NOTIFICATION_MASK, mask);
        return host.admin.execute(sqe.nsid(nsid)).status();
    }

    @Test
    void shouldTellWhoIsConcernedAndNobodyElse() throws IOException {
        a.register();
        b.register();
        a.acquire(ReservationType.WRITE_EXCLUSIVE_REGISTRANTS_ONLY);
        int first = awaitEvent(b);
        a.release(ReservationType.WRITE_EXCLUSIVE_REGISTRANTS_ONLY);
        assertEvent(b, first);
        int second = awaitEvent(b);
        a.preempt(ReservationType.WRITE_EXCLUSIVE, 0xBBBB);
        b.register();
        a.clear();
        awaitPages(b, 3);
        assertEquals(new ReservationNotification(1, 2, 2, 1), readLog(b, false), "it was retained");
        assertEvent(b, second);
        assertEquals(new ReservationNotification(2, 1, 1, 1), readLog(b, false));
        int third = awaitEvent(b);
        assertEvent(b, third);
        assertEquals(new ReservationNotification(3, 3, 0, 1), readLog(b, false));
        assertEquals(ReservationNotification.EMPTY, readLog(b, false));
        assertEquals(ReservationNotification.EMPTY, readLog(a, false), "whoever did it knows");
        assertEquals(ReservationNotification.EMPTY, readLog(c, false), "who is no registrant");
    }

    @Test
    void shouldTellEveryControllerOfAHost() throws IOException {
        try (ReservingHost second = host(B, 1, 0xBBBB)) {
            a.register();
            b.register();
            a.clear();
            awaitPages(b, 1);
            awaitPages(second, 1);
            assertEquals(new ReservationNotification(1, 3, 0, 1), readLog(b, false));
            assertEquals(new ReservationNotification(1, 3, 0, 1), readLog(second, false));
        }
    }

    /** Repeated: what was masked must stay untold however late the host's event loop hears of it. */
    @RepeatedTest(20)
    void shouldNotTellWhatAHostDoesNotWantToKnow() throws IOException {
        assertEquals(0, setMask(b, 1, 1 << 3));
        assertEquals(INVALID_FIELD, setMask(b, 1, 1));
        assertEquals(INVALID_FIELD, setMask(b, 1, 1 << 4));
        assertEquals(0x400B, setMask(b, 77, 0), "no such namespace");
        Sqe get = FeaturesCommand.encodeGet(Sqe.allocate(), FeatureId.RESERVATION_NOTIFICATION_MASK, 0);
        assertEquals(1 << 3, b.admin.execute(get.nsid(1)).dw0());
        assertEquals(0, b.admin.execute(get.nsid(2)).dw0());
        a.register();
        b.register();
        a.clear();
        assertEquals(ReservationNotification.EMPTY, readLog(b, false));
        assertEquals(0, setMask(b, Sqe.NSID_ALL, 0xE));
        assertEquals(0xE, b.admin.execute(get.nsid(2)).dw0());
        assertEquals(0x400B, b.admin.execute(get.nsid(Sqe.NSID_ALL)).status());
        setMask(b, 1, 0);
        a.register();
        b.register();
        a.preempt(ReservationType.WRITE_EXCLUSIVE, 0xBBBB);
        awaitPages(b, 1);
        assertEquals(new ReservationNotification(1, 1, 0, 1), readLog(b, false));
    }

    // ---- persistence

    private int setPersistence(ReservingHost host, long nsid, long value) throws IOException {
        Sqe sqe = FeaturesCommand.encodeSet(Sqe.allocate(), FeatureId.RESERVATION_PERSISTENCE, value);
        return host.admin.execute(sqe.nsid(nsid)).status();
    }

    private static long persistence(ReservingHost host) throws IOException {
        Sqe sqe = FeaturesCommand.encodeGet(Sqe.allocate(), FeatureId.RESERVATION_PERSISTENCE, 0);
        return host.admin.execute(sqe.nsid(HELD_NSID)).dw0();
    }

    private void restart() throws IOException {
        disconnect();
        stop();
        start();
        NamespaceConfig kept = new NamespaceConfig(
                        HELD_NSID, new MemoryBlockDevice(NAMESPACE_BYTES), 512, new UUID(9, 9), new Nguid(9, 9))
                .withStateFile(StateFile.open(directory.resolve("state"), new UUID(9, 9)));
        target.administration().addNamespace(NQN, kept);
        a = host(A, HELD_NSID, 0xAAAA);
        b = host(B, HELD_NSID, 0xBBBB);
    }

    @Test
    void shouldKeepReservationsOverARestartWhenAHostAsksForIt() throws IOException {
        restart();
        assertEquals(0, a.register(ReservationCommand.PERSISTENCE_ON));
        assertEquals(0, a.acquire(ReservationType.WRITE_EXCLUSIVE));
        assertEquals(true, a.report().persistent());
        restart();
        assertEquals(
                new ReservationStatus(
                        1, ReservationType.WRITE_EXCLUSIVE, true, List.of(new Registrant(0xFFFF, true, 0xAAAA, A))),
                b.report());
        assertEquals(CONFLICT, b.write());
        assertEquals(0, a.write());
        assertEquals(1, persistence(b));
        assertEquals(0, a.register(ReservationCommand.PERSISTENCE_OFF));
        assertEquals(CONFLICT, b.write(), "until the restart");
        restart();
        assertEquals(new ReservationStatus(0, null, false, List.of()), b.report());
    }

    @Test
    void shouldPersistByAFeatureWhatCanPersist() throws IOException {
        assertEquals(INVALID_FIELD, setPersistence(a, 1, 1), "nothing is kept of namespace 1");
        restart();
        assertEquals(INVALID_FIELD, setPersistence(a, HELD_NSID, 2));
        assertEquals(0, persistence(a));
        assertEquals(0, a.register());
        assertEquals(0, setPersistence(a, Sqe.NSID_ALL, 1));
        assertEquals(1, persistence(b));
        restart();
        assertEquals(1, b.report().registrants().size());
        assertEquals(0, setPersistence(b, HELD_NSID, 0));
        restart();
        assertEquals(0, b.report().registrants().size());
    }

    @Test
    void shouldSayOfANamespaceWhetherItsReservationsCanPersist() throws IOException {
        restart();
        assertEquals(0xFF, reservationCapabilities(HELD_NSID));
        assertEquals(0xFE, reservationCapabilities(1));
    }

    private long reservationCapabilities(long nsid) throws IOException {
        Sqe sqe = IdentifyCommand.encode(Sqe.allocate(), Cns.NAMESPACE, nsid, 0, 0);
        ByteBuffer data = Bytes.allocate(4096).put(0, a.admin.executeRead(sqe, 4096));
        return IdentifyNamespace.decode(data, 0).get(IdentifyNamespace.Field.RESCAP);
    }

    // ---- commands under way

    private void addHeldNamespace() throws IOException {
        target.administration()
                .addNamespace(NQN, new NamespaceConfig(HELD_NSID, device, 512, new UUID(9, 9), new Nguid(9, 9)));
        disconnect();
        a = host(A, HELD_NSID, 0xAAAA);
        b = host(B, HELD_NSID, 0xBBBB);
        a.register();
        b.register();
        a.acquire(ReservationType.EXCLUSIVE_ACCESS_REGISTRANTS_ONLY);
    }

    private int submitHeldWrite(ReservingHost host) throws IOException {
        byte[] block = new byte[512];
        Sqe write = ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.WRITE, HELD_NSID, 0, 1);
        int held = device.held();
        int commandId = host.io.submit(ReservingHost.inCapsule(write, block), block);
        Awaitility.await().until(() -> device.held() == held + 1);
        return commandId;
    }

    private int submitPreemptAndAbort() throws IOException {
        Sqe sqe = a.acquireCommand(
                ReservationCommand.PREEMPT_AND_ABORT, ReservationType.EXCLUSIVE_ACCESS_REGISTRANTS_ONLY);
        byte[] keys = ReservingHost.keys(0xAAAA, 0xBBBB);
        return a.io.submit(ReservingHost.inCapsule(sqe, keys), keys);
    }

    private void assertNoAnswer(RawHost io) throws IOException {
        io.timeoutMs(200);
        assertThrows(SocketTimeoutException.class, io::read);
        io.timeoutMs(20_000);
    }

    @Test
    void shouldCompletePreemptAndAbortWhenNothingOfThePreemptedIsExecutedAnyMore() throws IOException {
        addHeldNamespace();
        int executed = submitHeldWrite(b);
        Sqe second = ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.WRITE, HELD_NSID, 8, 1);
        second.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 512);
        int waiting = b.io.submit(second);
        RawHost.Pdu r2t = b.io.read();
        int own = submitHeldWrite(a);
        int preempt = submitPreemptAndAbort();
        assertNoAnswer(a.io);
        b.io.send(b.io.hostData(waiting, R2T.transferTag(r2t.header()), 0, new byte[512], true));
        assertEquals(Status.PREEMPT_ABORT, b.io.completionOf(waiting).status());
        assertEquals(CONFLICT, b.write());
        device.letGo();
        assertEquals(0, b.io.completionOf(executed).status(), "what had begun is done");
        int first = a.io.read().completion().commandId();
        int last = a.io.read().completion().commandId();
        assertEquals(own + preempt, first + last);
    }

    @Test
    void shouldWaitForWhatAHostThatIsGoneHasLeftBehind() throws IOException {
        addHeldNamespace();
        submitHeldWrite(b);
        b.close();
        Awaitility.await().until(() -> target.queues().size() == 2);
        int preempt = submitPreemptAndAbort();
        assertNoAnswer(a.io);
        device.letGo();
        assertEquals(0, a.io.completionOf(preempt).status());
    }

    @Test
    void shouldNotWaitForOthersWhenNobodyIsPreemptedOrTheHostIsIdle() throws IOException {
        addHeldNamespace();
        submitHeldWrite(a);
        int preempt = submitPreemptAndAbort();
        assertEquals(0, a.io.completionOf(preempt).status());
        device.letGo();
    }
}
