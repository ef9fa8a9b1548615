package io.nvmf.target;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.feature.AsyncEventConfig;
import io.nvmf.codec.feature.FeatureId;
import io.nvmf.codec.feature.FeaturesCommand;
import io.nvmf.codec.identify.Cns;
import io.nvmf.codec.identify.IdentifyCommand;
import io.nvmf.codec.log.GetLogPageCommand;
import io.nvmf.codec.log.TransportType;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.codec.reservation.ReservationCommand;
import io.nvmf.target.config.AnaState;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Asymmetric namespace access, as hosts see it: groups, states on each port, log 0Ch, events. */
class AnaTest extends TargetTestBase {
    private static final long ANA_EVENT = 0x000C0302L;
    private static final long NAMESPACE_EVENT = 0x00040002L;

    private Administration administration;
    private InetSocketAddress address;
    private RawHost admin;
    private RawHost io;

    @BeforeEach
    void startTarget() throws IOException {
        start();
        administration = target.administration();
        address = target.addresses().get(0);
        admin = open();
        int controllerId = admin.connectAdmin(NQN, 0);
        admin.enable();
        io = open();
        io.initialize(0, 0);
        io.connectIo(controllerId, 1, 31, NQN);
    }

    @AfterEach
    void closeHosts() throws IOException {
        admin.close();
        io.close();
    }

    private void set(int group, AnaState state) {
        administration.anaState(NQN, TransportType.TCP, address, group, state);
    }

    private static ByteBuffer log(RawHost host, int lsp) throws IOException {
        Sqe sqe = GetLogPageCommand.lsp(GetLogPageCommand.encode(Sqe.allocate(), 0x0C, 256, 0), lsp);
        return ByteBuffer.wrap(host.executeRead(sqe.nsid(Sqe.NSID_ALL), 256)).order(ByteOrder.LITTLE_ENDIAN);
    }

    private ByteBuffer identify(int cns, long nsid) throws IOException {
        Sqe sqe = IdentifyCommand.encode(Sqe.allocate(), cns, nsid, 0, 0);
        return ByteBuffer.wrap(admin.executeRead(sqe, 4096)).order(ByteOrder.LITTLE_ENDIAN);
    }

    private int statusOfRead(RawHost queue, long nsid) throws IOException {
        Sqe sqe = ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.READ, nsid, 0, 1);
        sqe.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, nsid == 1 ? 512 : 4096);
        return queue.execute(sqe).status();
    }

    private int submitEventRequest() throws IOException {
        return admin.submit(Sqe.allocate().clear(Opcode.Admin.ASYNC_EVENT_REQUEST));
    }

    private void wantEvents() throws IOException {
        Sqe sqe = FeaturesCommand.encodeSet(
                Sqe.allocate(),
                FeatureId.ASYNC_EVENT_CONFIG,
                AsyncEventConfig.ANA_CHANGE | AsyncEventConfig.NAMESPACE_ATTRIBUTE);
        assertEquals(0, admin.execute(sqe).status());
    }

    @Test
    void shouldSayThatItReportsAccess() throws IOException {
        ByteBuffer controller = identify(Cns.CONTROLLER, 0);
        assertEquals(0x0B, controller.get(76), "CMIC: ports, controllers, ANA");
        assertEquals(1 << 11, controller.getInt(92) & 1 << 11, "OAES");
        assertEquals(10, controller.get(342), "ANATT");
        assertEquals(0x1F, controller.get(343), "ANACAP");
        assertEquals(128, controller.getInt(344), "ANAGRPMAX");
        assertEquals(128, controller.getInt(348), "NANAGRPID");
        assertEquals(controller.getInt(516), controller.getInt(540), "MNAN is NN");
        assertEquals(1, identify(Cns.NAMESPACE, 1).getInt(92), "ANAGRPID");
        assertEquals(1, identify(Cns.INDEPENDENT_NAMESPACE, 1).getInt(4), "ANAGRPID");
    }

    @Test
    void shouldListGroupsWithTheirStatesAndNamespaces() throws IOException {
        administration.moveNamespace(NQN, 2, 7);
        set(7, AnaState.NON_OPTIMIZED);
        ByteBuffer log = log(admin, 0);
        assertEquals(2, log.getLong(0), "change count: a move and a state");
        assertEquals(2, log.getShort(8), "groups");
        assertEquals(1, log.getInt(16));
        assertEquals(1, log.getInt(20), "one NSID");
        assertEquals(1, log.getLong(24), "its change count: it lost a namespace");
        assertEquals(1, log.get(32), "optimized");
        assertEquals(1, log.getInt(48));
        assertEquals(7, log.getInt(52));
        assertEquals(1, log.getInt(56));
        assertEquals(2, log.getLong(60));
        assertEquals(2, log.get(68), "non-optimized");
        assertEquals(2, log.getInt(84));
        assertEquals(7, identify(Cns.NAMESPACE, 2).getInt(92), "ANAGRPID");
    }

    @Test
    void shouldAnswerToTheLengthThatHostsReckon() throws IOException {
        ByteBuffer controller = identify(Cns.CONTROLLER, 0);
        int length = 16 + 32 * controller.getInt(348) + 4 * controller.getInt(540);
        Sqe last = GetLogPageCommand.encode(Sqe.allocate(), 0x0C, 256, length - 256);
        assertArrayEquals(new byte[256], admin.executeRead(last.nsid(Sqe.NSID_ALL), 256), "nothing follows the groups");
        Sqe beyond = GetLogPageCommand.encode(Sqe.allocate(), 0x0C, 4, length + 4L);
        beyond.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 4);
        assertEquals(0x4002, admin.execute(beyond).status());
    }

    @Test
    void shouldLeaveOutNamespacesWhenOnlyGroupsAreWanted() throws IOException {
        administration.moveNamespace(NQN, 2, 7);
        ByteBuffer log = log(admin, 1);
        assertEquals(2, log.getShort(8));
        assertEquals(0, log.getInt(20), "no NSIDs");
        assertEquals(7, log.getInt(48), "the next group follows at once");
    }

    @ParameterizedTest
    @CsvSource({"INACCESSIBLE,302", "PERSISTENT_LOSS,301", "CHANGE,303"})
    void shouldRefuseWhatNeedsTheNamespaceInAStateWithoutAccess(AnaState state, String status) throws IOException {
        int refusal = Integer.parseInt(status, 16);
        administration.moveNamespace(NQN, 2, 2);
        set(2, state);
        assertEquals(refusal, statusOfRead(io, 2), "without DNR: another path may serve it");
        assertEquals(0, io.executeRead(ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.READ, 1, 0, 1), 512)[0]);
        Sqe flush = Sqe.allocate().clear(Opcode.Nvm.FLUSH).nsid(2);
        assertEquals(refusal, io.execute(flush).status());
        Sqe report = ReservationCommand.encodeReport(Sqe.allocate(), 2, 4096);
        report.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 4096);
        assertEquals(refusal, io.execute(report).status());
        Sqe protection = FeaturesCommand.encodeGet(Sqe.allocate(), 0x84, 0).nsid(2);
        assertEquals(refusal, admin.execute(protection).status());
        assertEquals(
                refusal,
                admin.execute(FeaturesCommand.encodeSet(Sqe.allocate(), 0x84, 1).nsid(2))
                        .status());
        ByteBuffer namespace = identify(Cns.NAMESPACE, 2);
        assertEquals(NAMESPACE_BYTES / 4096, namespace.getLong(0), "NSZE is still told");
        assertEquals(state == AnaState.CHANGE ? NAMESPACE_BYTES / 4096 : 0, namespace.getLong(16), "NUSE");
        set(2, AnaState.OPTIMIZED);
        assertEquals(
                4096, io.executeRead(ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.READ, 2, 0, 1), 4096).length);
    }

    @Test
    void shouldServeWhatIsNotOptimized() throws IOException {
        set(0, AnaState.NON_OPTIMIZED);
        assertEquals(
                512, io.executeRead(ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.READ, 1, 0, 1), 512).length);
    }

    @Test
    void shouldTellHostsOfThatPortAlone() throws IOException {
        InetSocketAddress other = administration
                .addListener(NQN, TransportType.TCP, new InetSocketAddress("127.0.0.1", 0))
                .address();
        wantEvents();
        int event = submitEventRequest();
        administration.anaState(NQN, TransportType.TCP, other, 1, AnaState.INACCESSIBLE);
        try (RawHost there = new RawHost(other)) {
            there.connectAdmin(NQN, 0);
            there.enable();
            assertEquals(3, log(there, 0).get(32));
        }
        assertEquals(1, log(admin, 0).get(32), "no event has come before this answer");
        set(1, AnaState.CHANGE);
        assertEquals(ANA_EVENT, admin.completionOf(event).dw0());
        int second = submitEventRequest();
        set(1, AnaState.OPTIMIZED);
        assertEquals(1, log(admin, 0).get(32), "silent until the log is read");
        set(1, AnaState.OPTIMIZED);
        set(1, AnaState.NON_OPTIMIZED);
        assertEquals(ANA_EVENT, admin.completionOf(second).dw0());
    }

    @Test
    void shouldTellOfTheGroupBeforeANamespaceThatIsAdded() throws IOException {
        wantEvents();
        int first = submitEventRequest();
        int second = submitEventRequest();
        administration.addNamespace(NQN, namespace(3, 512).inAnaGroup(3));
        assertEquals(ANA_EVENT, admin.completionOf(first).dw0());
        assertEquals(NAMESPACE_EVENT, admin.completionOf(second).dw0());
        assertEquals(2, log(admin, 0).getShort(8));
    }

    @Test
    void shouldForgetStatesWhenASubsystemIsTakenFromAListenerAndPutBack() throws IOException {
        set(1, AnaState.INACCESSIBLE);
        administration.removeListener(NQN, TransportType.TCP, address);
        administration.addListener(NQN, TransportType.TCP, address);
        try (RawHost host = admin()) {
            assertEquals(1, log(host, 0).get(32));
        }
    }

    @Test
    void shouldRefuseGroupsAndListenersThatCannotBe() {
        assertThrows(IllegalArgumentException.class, () -> set(129, AnaState.OPTIMIZED));
        assertThrows(IllegalArgumentException.class, () -> set(-1, AnaState.OPTIMIZED));
        assertThrows(IllegalArgumentException.class, () -> administration.moveNamespace(NQN, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> administration.moveNamespace(NQN, 9, 1));
        InetSocketAddress nowhere = new InetSocketAddress("127.0.0.1", 1);
        assertThrows(
                IllegalArgumentException.class,
                () -> administration.anaState(NQN, TransportType.TCP, nowhere, 1, AnaState.OPTIMIZED));
    }

    @Test
    void shouldNameStatesAsBothKindsOfToolsDo() {
        assertEquals(AnaState.NON_OPTIMIZED, AnaState.named("non_optimized"));
        assertEquals(AnaState.PERSISTENT_LOSS, AnaState.named("persistent-loss"));
        assertThrows(IllegalArgumentException.class, () -> AnaState.named("good"));
        assertArrayEquals(
                new int[] {1, 2, 3, 4, 15},
                List.of(AnaState.values()).stream().mapToInt(AnaState::code).toArray());
    }
}
