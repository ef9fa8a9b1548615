package io.nvmf.target;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Cqe;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.fabrics.ConnectResponse;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyController.Field;
import io.nvmf.codec.log.DiscoveryLogEntry;
import io.nvmf.codec.log.DiscoveryLogHeader;
import io.nvmf.codec.log.GetLogPageCommand;
import io.nvmf.codec.log.TransportType;
import io.nvmf.codec.rdma.RejectReason;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.RdmaConfig;
import io.nvmf.target.config.TargetConfig;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.target.transport.rdma.RawRdmaHost;
import io.nvmf.target.transport.rdma.RawRdmaHost.Answer;
import io.nvmf.target.transport.rdma.RawRdmaHost.Memory;
import io.nvmf.transport.memory.MemoryRdma;
import io.nvmf.transport.rdma.CmId;
import io.nvmf.transport.rdma.DeviceLimits;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests for connections, and the Connect that follows. */
class RdmaConnectTest extends RdmaTestBase {
    private Answer ask(int recordFormat, int queueId, int hrqsize, int hsqsize, int reads) throws IOException {
        return host().ask(rdmaAddress(), RawRdmaHost.request(recordFormat, queueId, hrqsize, hsqsize), reads);
    }

    private static void assertRejected(RejectReason reason, Answer answer) {
        assertNull(answer.accept());
        assertEquals(CmId.REJECTED_BY_CONSUMER, answer.rejectReason());
        assertEquals(0, answer.reject().recordFormat());
        assertEquals(reason.code(), answer.reject().status());
    }

    @ParameterizedTest
    @CsvSource({"0, 32, 31", "0, 2, 1", "1, 128, 127", "4, 16, 15", "2, 15, 15"})
    void shouldAcceptAndSayHowManyCommandsItTakes(int queueId, int hrqsize, int hsqsize) throws IOException {
        start();
        Answer answer = ask(0, queueId, hrqsize, hsqsize, 16);
        assertEquals(0, answer.accept().recordFormat());
        assertEquals(hsqsize + 1, answer.accept().receiveQueueEntries());
    }

    @ParameterizedTest
    @CsvSource({
        "INVALID_RECORD_FORMAT, 1, 0, 32, 31, 16",
        "INVALID_QUEUE_ID, 0, 5, 32, 31, 16",
        "INVALID_QUEUE_ID, 0, 65535, 32, 31, 16",
        "INVALID_HSQSIZE, 0, 0, 32, 32, 16",
        "INVALID_HSQSIZE, 0, 0, 32, 0, 16",
        "INVALID_HSQSIZE, 0, 1, 200, 128, 16",
        "INVALID_HSQSIZE, 0, 1, 65535, 65535, 16",
        "INVALID_HRQSIZE, 0, 1, 30, 31, 16",
        "INVALID_HRQSIZE, 0, 0, 0, 31, 16",
        "INVALID_IRD, 0, 0, 32, 31, 0",
    })
    void shouldRejectWithTheReason(
            RejectReason reason, int recordFormat, int queueId, int hrqsize, int hsqsize, int reads)
            throws IOException {
        start();
        assertRejected(reason, ask(recordFormat, queueId, hrqsize, hsqsize, reads));
        assertEquals(0, target.rdma().connections());
    }

    @Test
    void shouldRejectWhatFindsNoMemoryForCapsulesAndTakeItWhenThereIsSome() throws IOException {
        start(LIMITS, new RdmaConfig(4096, 1 << 20));
        assertNotNull(ask(0, 1, 128, 127, 16).accept(), "a queue of 128 times 4 KiB, and entries");
        RawRdmaHost admin = host();
        assertNotNull(
                admin.ask(rdmaAddress(), RawRdmaHost.request(0, 0, 32, 31), 16).accept());
        long inUse = target.rdma().receiveMemoryInUse();
        assertRejected(RejectReason.NO_RESOURCES, ask(0, 2, 128, 127, 16));
        assertEquals(inUse, target.rdma().receiveMemoryInUse());
        closeHosts();
        awaitNoConnections();
        assertNotNull(ask(0, 2, 128, 127, 16).accept());
    }

    @Test
    void shouldRejectWhileMemoryMayNotBeLockedAndServeAfterwards() throws IOException {
        start();
        RawRdmaHost host = host();
        // The target's registration is to fail, not the host's.
        host.beforeConnect(rdma::failNextRegistration);
        assertRejected(RejectReason.NO_RESOURCES, host.ask(rdmaAddress(), RawRdmaHost.request(0, 0, 32, 31), 16));
        assertNotNull(ask(0, 0, 32, 31, 16).accept());
    }

    @Test
    void shouldServeOverTcpAloneWhenMemoryMayNotBeLocked() throws IOException {
        rdma.failNextRegistration();
        start();
        assertEquals(1, target.listeners().size());
        String failure = target.listenFailures().get(0);
        assertTrue(failure.startsWith("cannot listen on 127.0.0.1:0 over RDMA: cannot register "), failure);
        assertTrue(failure.contains("raise the limit of locked memory"), failure);
        try (RawHost tcp = admin()) {
            assertEquals(4096, tcp.executeRead(Sqe.allocate().clear(6).cdw(10, 1), 4096).length);
        }
        assertEquals(0, rdma.counts().memoryRegions());
        assertEquals(0, rdma.counts().listenings());
    }

    @Test
    void shouldSayThatAnAddressIsTaken() throws IOException {
        start();
        ListenerConfig taken = new ListenerConfig(1, TransportType.RDMA, rdmaAddress(), Set.of());
        TargetConfig config = new TargetConfig(List.of(taken), List.of(), LIMITS);
        String message = assertThrows(IOException.class, () -> NvmfTarget.start(config, rdma))
                .getMessage();
        assertEquals(
                "cannot listen on 127.0.0.1:" + rdmaAddress().getPort() + " over RDMA: the address is in use", message);
    }

    @Test
    void shouldRejectWhatTheDeviceCannotHold() throws IOException {
        rdma = new MemoryRdma(new DeviceLimits(400, 1200, 4, 4));
        start(new TargetLimits(1024, 4, 8192, 1 << 20, 16L << 20, 2), RdmaConfig.DEFAULT);
        assertRejected(RejectReason.NO_RESOURCES, ask(0, 1, 400, 399, 4));
        assertNotNull(ask(0, 1, 256, 255, 4).accept());
    }

    @ParameterizedTest
    @CsvSource({"1, 31, 42", "0, 32, 44", "0, 127, 44"})
    void shouldRefuseAConnectThatIsNotForTheQueueRequested(int queueId, int sqSize, int badField) throws IOException {
        start();
        RawRdmaHost host = host();
        host.ask(rdmaAddress(), RawRdmaHost.request(0, 0, 32, 31), 16);
        Cqe refused = host.connectQueue(RawRdmaHost.connectCommand(queueId, sqSize, 0), 0xFFFF, NQN);
        assertEquals(Status.CONNECT_INVALID_PARAMETERS | Status.DNR, refused.status());
        assertEquals(ConnectResponse.invalidInCommand(badField), refused.dw0());
        Cqe right = host.connectQueue(RawRdmaHost.connectCommand(0, 15, 0), 0xFFFF, NQN);
        assertEquals(0, right.status(), "a shorter queue than requested is fine");
    }

    @Test
    void shouldRefuseAConnectThatNamesAnUnknownSubsystem() throws IOException {
        start();
        RawRdmaHost host = host();
        host.ask(rdmaAddress(), RawRdmaHost.request(0, 0, 32, 31), 16);
        Cqe refused = host.connectQueue(RawRdmaHost.connectCommand(0, 31, 0), 0xFFFF, "nqn.2026-01.io.nvmf:none");
        assertEquals(Status.CONNECT_INVALID_PARAMETERS | Status.DNR, refused.status());
        assertEquals(ConnectResponse.invalidInData(256), refused.dw0());
    }

    @Test
    void shouldSayWhatEachTransportCanDo() throws IOException {
        start(LIMITS, new RdmaConfig(16384, 64L << 20));
        RawRdmaHost host = host();
        host.connectAdmin(rdmaAddress(), NQN, 0);
        host.enable();
        Memory page = host.memory(4096);
        Sqe identify = RawRdmaHost.keyed(Sqe.allocate().clear(6).cdw(10, 1), page, 4096);
        assertEquals(0, host.execute(identify).status());
        IdentifyController rdmaData = IdentifyController.decode(page.bytes.order(ByteOrder.LITTLE_ENDIAN), 0);
        assertEquals(1 | 1 << 2 | 1 << 20, rdmaData.get(Field.SGLS));
        assertEquals((64 + 16384) / 16, rdmaData.get(Field.IOCCSZ));
        assertEquals(16, rdmaData.get(Field.MSDBD));
        try (RawHost tcp = admin()) {
            byte[] bytes = tcp.executeRead(Sqe.allocate().clear(6).cdw(10, 1), 4096);
            IdentifyController tcpData =
                    IdentifyController.decode(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN), 0);
            assertEquals(1 | 1 << 20 | 1 << 21, tcpData.get(Field.SGLS));
            assertEquals((64 + 8192) / 16, tcpData.get(Field.IOCCSZ));
            assertEquals(1, tcpData.get(Field.MSDBD));
        }
    }

    @Test
    void shouldListBothTransportsForDiscovery() throws IOException {
        start();
        RawRdmaHost host = host();
        host.connectAdmin(rdmaAddress(), "nqn.2014-08.org.nvmexpress.discovery", 0);
        host.enable();
        Memory page = host.memory(4096);
        Sqe log = GetLogPageCommand.encode(Sqe.allocate(), 0x70, 4096, 0);
        assertEquals(0, host.execute(RawRdmaHost.keyed(log, page, 4096)).status());
        ByteBuffer bytes = page.bytes.order(ByteOrder.LITTLE_ENDIAN);
        assertEquals(3, DiscoveryLogHeader.decode(bytes, 0).recordCount());
        int self = DiscoveryLogHeader.BYTES;
        assertEquals(1, bytes.get(self), "TRTYPE of the discovery subsystem, where it was asked");
        int tcp = self + DiscoveryLogEntry.BYTES;
        int rdmaEntry = tcp + DiscoveryLogEntry.BYTES;
        assertEquals(3, bytes.get(tcp), "TRTYPE TCP");
        assertEquals(1, bytes.get(rdmaEntry), "TRTYPE RDMA");
        assertEquals(1, bytes.get(rdmaEntry + 768), "QPTYPE");
        assertEquals(1, bytes.get(rdmaEntry + 769), "PRTYPE");
        assertEquals(1, bytes.get(rdmaEntry + 770), "CMS");
        assertEquals(
                Integer.toString(rdmaAddress().getPort()),
                DiscoveryLogEntry.decode(bytes, rdmaEntry).serviceId());
    }

    @Test
    void shouldServeOneSubsystemOverBothTransportsAtOnce() throws IOException {
        start();
        RawRdmaHost io = io(32, 16);
        byte[] data = random(1, 65536);
        assertEquals(
                0,
                io.execute(RawRdmaHost.keyed(command(WRITE, 0, 65536), io.memory(data), 65536))
                        .status());
        try (RawHost admin = open();
                RawHost tcp = open()) {
            int controllerId = admin.connectAdmin(NQN, 0);
            admin.enable();
            tcp.initialize(0, 0);
            tcp.connectIo(controllerId, 1, 31, NQN);
            assertArrayEquals(data, tcp.executeRead(command(READ, 0, 65536), 65536));
            byte[] other = random(2, 4096);
            Sqe write = command(WRITE, 8, 4096);
            write.sgl1().set(SglDescriptor.IN_CAPSULE, 0, 4096);
            assertEquals(0, tcp.execute(write, other).status());
            Memory memory = io.memory(4096);
            assertEquals(
                    0,
                    io.execute(RawRdmaHost.keyed(command(READ, 8, 4096), memory, 4096))
                            .status());
            assertArrayEquals(other, memory.copy(4096));
        }
    }
}
