package io.nvmf.target;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Cqe;
import io.nvmf.codec.Opcode;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.feature.FeatureId;
import io.nvmf.codec.feature.FeaturesCommand;
import io.nvmf.codec.identify.Cns;
import io.nvmf.codec.identify.CommandSetCombinations;
import io.nvmf.codec.identify.ControllerList;
import io.nvmf.codec.identify.Csi;
import io.nvmf.codec.identify.IdentifyCommand;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyController.Field;
import io.nvmf.codec.identify.IdentifyNamespace;
import io.nvmf.codec.identify.NamespaceDescriptors;
import io.nvmf.codec.identify.NamespaceList;
import io.nvmf.codec.identify.Nguid;
import io.nvmf.codec.log.ChangedNamespaceList;
import io.nvmf.codec.log.CommandsSupportedAndEffects;
import io.nvmf.codec.log.DiscoveryLogEntry;
import io.nvmf.codec.log.DiscoveryLogHeader;
import io.nvmf.codec.log.ErrorLogEntry;
import io.nvmf.codec.log.GetLogPageCommand;
import io.nvmf.codec.log.LogPageId;
import io.nvmf.codec.log.SmartLog;
import io.nvmf.codec.log.SupportedLogPages;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.codec.tcp.InitializeConnection;
import io.nvmf.codec.tcp.R2T;
import io.nvmf.target.namespace.IoCounts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AdminCommandsTest extends TargetTestBase {
    private static final int DNR = Status.DNR;
    private static final String DISCOVERY_NQN = "nqn.2014-08.org.nvmexpress.discovery";

    private RawHost host;
    private int controllerId;

    @BeforeEach
    void connect() throws IOException {
        start();
        host = open();
        controllerId = host.connectAdmin(NQN, 0);
        host.enable();
    }

    @AfterEach
    void disconnect() throws IOException {
        host.close();
    }

    private static ByteBuffer buffer(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static Sqe identifyCommand(int cns, long nsid) {
        return IdentifyCommand.encode(Sqe.allocate(), cns, nsid, 0, 0);
    }

    private ByteBuffer identify(int cns, long nsid) throws IOException {
        return buffer(host.executeRead(identifyCommand(cns, nsid), 4096));
    }

    private int identifyStatus(int cns, long nsid) throws IOException {
        Sqe sqe = identifyCommand(cns, nsid);
        sqe.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 4096);
        return host.execute(sqe).status();
    }

    private ByteBuffer log(int lid, int bytes, long offset) throws IOException {
        return buffer(host.executeRead(GetLogPageCommand.encode(Sqe.allocate(), lid, bytes, offset), bytes));
    }

    private int logStatus(int lid, int bytes, long offset) throws IOException {
        Sqe sqe = GetLogPageCommand.encode(Sqe.allocate(), lid, bytes, offset);
        sqe.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, bytes);
        return host.execute(sqe).status();
    }

    private Cqe getFeature(int featureId) throws IOException {
        return host.execute(FeaturesCommand.encodeGet(Sqe.allocate(), featureId, 0));
    }

    private Cqe setFeature(int featureId, long value) throws IOException {
        return host.execute(FeaturesCommand.encodeSet(Sqe.allocate(), featureId, value));
    }

    // ---- Identify

    @Test
    void shouldDescribeTheControllerAsLinuxDemands() throws IOException {
        IdentifyController data = IdentifyController.decode(identify(Cns.CONTROLLER, 0), 0);
        assertEquals(controllerId, data.get(Field.CNTLID));
        assertEquals("SN0001", data.serialNumber());
        assertEquals(NQN, data.subsystemNqn());
        assertTrue(data.has(Field.CMIC, 2), "several controllers");
        assertTrue(data.get(Field.KAS) > 0);
        assertEquals(8, data.get(Field.MDTS), "1 MiB in pages of 4 KiB");
        assertEquals(4 + 8192 / 16, data.get(Field.IOCCSZ));
        assertEquals(1, data.get(Field.IORCSZ));
        assertEquals(0, data.get(Field.ICDOFF));
        assertEquals(128, data.get(Field.MAXCMD));
        assertEquals(0x66, data.get(Field.SQES));
        assertEquals(0x44, data.get(Field.CQES));
        assertTrue(data.has(Field.SGLS, 1 | 1 << 20 | 1 << 21));
        assertEquals(1, data.get(Field.CNTRLTYPE));
        assertTrue(data.has(Field.CTRATT, 1));
    }

    @Test
    void shouldDescribeNamespaces() throws IOException {
        IdentifyNamespace small = IdentifyNamespace.decode(identify(Cns.NAMESPACE, 1), 0);
        assertEquals(NAMESPACE_BYTES / 512, small.get(IdentifyNamespace.Field.NSZE));
        assertEquals(9, small.currentLbaFormat().blockShift());
        assertEquals(new Nguid(0x1234, 1), small.nguid());
        IdentifyNamespace large = IdentifyNamespace.decode(identify(Cns.NAMESPACE, 2), 0);
        assertEquals(NAMESPACE_BYTES / 4096, large.get(IdentifyNamespace.Field.NCAP));
        assertEquals(12, large.currentLbaFormat().blockShift());
        NamespaceDescriptors ids = NamespaceDescriptors.decode(identify(Cns.NAMESPACE_DESCRIPTORS, 2), 0);
        assertEquals(new UUID(0xABCD, 2), ids.uuid());
        assertEquals(new Nguid(0x1234, 2), ids.nguid());
        assertEquals(0, ids.csi());
    }

    @Test
    void shouldShowAnInactiveNamespaceAsZeros() throws IOException {
        assertEquals(ByteBuffer.wrap(new byte[4096]), identify(Cns.NAMESPACE, 3).rewind());
        assertEquals(Status.INVALID_NAMESPACE_OR_FORMAT | DNR, identifyStatus(Cns.NAMESPACE, 0));
        assertEquals(Status.INVALID_NAMESPACE_OR_FORMAT | DNR, identifyStatus(Cns.NAMESPACE, 1025));
        assertEquals(Status.INVALID_NAMESPACE_OR_FORMAT | DNR, identifyStatus(Cns.NAMESPACE, 0xFFFF_FFFFL));
        assertEquals(Status.INVALID_NAMESPACE_OR_FORMAT | DNR, identifyStatus(Cns.NAMESPACE_DESCRIPTORS, 3));
    }

    @Test
    void shouldListActiveNamespacesAfterANumber() throws IOException {
        assertArrayEquals(new long[] {1, 2}, NamespaceList.decode(identify(Cns.ACTIVE_NAMESPACE_LIST, 0), 0));
        assertArrayEquals(new long[] {2}, NamespaceList.decode(identify(Cns.ACTIVE_NAMESPACE_LIST, 1), 0));
        assertArrayEquals(new long[] {}, NamespaceList.decode(identify(Cns.ACTIVE_NAMESPACE_LIST, 0xFFFF_FFFDL), 0));
        assertEquals(Status.INVALID_NAMESPACE_OR_FORMAT | DNR, identifyStatus(Cns.ACTIVE_NAMESPACE_LIST, 0xFFFF_FFFEL));
    }

    @Test
    void shouldAnswerWhatALinuxHostAsksForVersionTwo() throws IOException {
        assertEquals(1, identify(Cns.INDEPENDENT_NAMESPACE, 1).get(14), "NSTAT: ready");
        identify(Cns.COMMAND_SET_CONTROLLER, 0);
        identify(Cns.COMMAND_SET_NAMESPACE, 1);
        assertEquals(Status.INVALID_FIELD | DNR, identifyStatus(0x7F, 1));
    }

    @Test
    void shouldListWhatThereIsOfACommandSet() throws IOException {
        Sqe nvm = IdentifyCommand.encode(Sqe.allocate(), Cns.COMMAND_SET_ACTIVE_NAMESPACE_LIST, 1, 0, Csi.NVM);
        assertArrayEquals(new long[] {2}, NamespaceList.decode(buffer(host.executeRead(nvm, 4096)), 0));
        int[] perCommandSet = {
            Cns.COMMAND_SET_ACTIVE_NAMESPACE_LIST, Cns.COMMAND_SET_NAMESPACE, Cns.COMMAND_SET_CONTROLLER
        };
        for (int cns : perCommandSet) {
            Sqe zoned = IdentifyCommand.encode(Sqe.allocate(), cns, 1, 0, Csi.ZONED);
            zoned.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 4096);
            assertEquals(Status.INVALID_FIELD | DNR, host.execute(zoned).status(), "CNS " + cns);
        }
        assertEquals(
                Status.INVALID_NAMESPACE_OR_FORMAT | DNR,
                identifyStatus(Cns.COMMAND_SET_ACTIVE_NAMESPACE_LIST, 0xFFFF_FFFFL));
        assertEquals(Status.INVALID_NAMESPACE_OR_FORMAT | DNR, identifyStatus(Cns.COMMAND_SET_NAMESPACE, 3));
        assertEquals(Status.INVALID_NAMESPACE_OR_FORMAT | DNR, identifyStatus(Cns.INDEPENDENT_NAMESPACE, 0));
    }

    @Test
    void shouldShowAllocatedNamespacesAsTheActiveOnes() throws IOException {
        assertArrayEquals(new long[] {1, 2}, NamespaceList.decode(identify(Cns.ALLOCATED_NAMESPACE_LIST, 0), 0));
        assertEquals(identify(Cns.NAMESPACE, 2), identify(Cns.ALLOCATED_NAMESPACE, 2));
        assertEquals(
                ByteBuffer.wrap(new byte[4096]),
                identify(Cns.ALLOCATED_NAMESPACE, 9).rewind());
        assertEquals(Status.INVALID_NAMESPACE_OR_FORMAT | DNR, identifyStatus(Cns.ALLOCATED_NAMESPACE, 0xFFFF_FFFFL));
    }

    private int[] controllers(int cns, long nsid, int first) throws IOException {
        Sqe sqe = IdentifyCommand.encode(Sqe.allocate(), cns, nsid, first, 0);
        return ControllerList.decode(buffer(host.executeRead(sqe, 4096)), 0);
    }

    @Test
    void shouldListTheControllersThereAreNow() throws IOException {
        try (RawHost other = open();
                RawHost discovery = open()) {
            int otherId = other.connectAdmin(NQN, 0);
            discovery.connectAdmin(DISCOVERY_NQN, 0);
            assertArrayEquals(new int[] {controllerId, otherId}, controllers(Cns.CONTROLLER_LIST, 0, 0));
            assertArrayEquals(new int[] {otherId}, controllers(Cns.CONTROLLER_LIST, 0, otherId));
            assertArrayEquals(
                    new int[] {controllerId, otherId}, controllers(Cns.NAMESPACE_CONTROLLER_LIST, 1, controllerId));
            assertEquals(Status.INVALID_NAMESPACE_OR_FORMAT | DNR, identifyStatus(Cns.NAMESPACE_CONTROLLER_LIST, 3));
        }
        Awaitility.await()
                .untilAsserted(
                        () -> assertArrayEquals(new int[] {controllerId}, controllers(Cns.CONTROLLER_LIST, 0, 0)));
    }

    @Test
    void shouldCombineTheNvmCommandSetWithNoOther() throws IOException {
        for (int id : new int[] {0xFFFF, controllerId}) {
            Sqe sqe = IdentifyCommand.encode(Sqe.allocate(), Cns.COMMAND_SET_COMBINATIONS, 0, id, 0);
            ByteBuffer page = buffer(host.executeRead(sqe, 4096));
            assertEquals(1, CommandSetCombinations.combination(page, 0, 0));
            assertEquals(0, CommandSetCombinations.combination(page, 0, 1));
        }
        assertEquals(Status.INVALID_CONTROLLER_IDENTIFIER | DNR, identifyStatus(Cns.COMMAND_SET_COMBINATIONS, 0));
    }

    // ---- log pages

    @Test
    void shouldListTheLogPagesThatCanBeRead() throws IOException {
        ByteBuffer page = log(LogPageId.SUPPORTED_LOG_PAGES, SupportedLogPages.BYTES, 0);
        for (int lid = 0; lid < 256; lid++) {
            boolean listed = SupportedLogPages.isSupported(page, 0, lid);
            assertEquals(listed ? 0 : Status.INVALID_LOG_PAGE | DNR, statusOfRead(lid), "log page " + lid);
        }
    }

    private int statusOfRead(int lid) throws IOException {
        Sqe sqe = GetLogPageCommand.encode(Sqe.allocate(), lid, 64, 0);
        sqe.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 64);
        int commandId = host.submit(sqe);
        RawHost.Pdu pdu = host.read();
        return pdu.data().length > 0
                ? host.completionOf(commandId).status()
                : pdu.completion().status();
    }

    @Test
    void shouldCutALogPageAtAnyDwordAndFillUpWithZeros() throws IOException {
        ByteBuffer whole = log(LogPageId.COMMANDS_SUPPORTED_AND_EFFECTS, 4096, 0);
        for (int offset : new int[] {4, 24, 1024, 4092}) {
            ByteBuffer part = log(LogPageId.COMMANDS_SUPPORTED_AND_EFFECTS, 4096, offset);
            byte[] expected = Arrays.copyOf(Arrays.copyOfRange(whole.array(), offset, 4096), 4096);
            assertArrayEquals(expected, part.array(), "from " + offset);
        }
        assertArrayEquals(
                new byte[64],
                log(LogPageId.COMMANDS_SUPPORTED_AND_EFFECTS, 64, 4096).array(),
                "at its end");
        assertEquals(Status.INVALID_FIELD | DNR, logStatus(LogPageId.COMMANDS_SUPPORTED_AND_EFFECTS, 64, 4100));
        assertEquals(Status.INVALID_FIELD | DNR, logStatus(LogPageId.COMMANDS_SUPPORTED_AND_EFFECTS, 2 << 20, 0));
        Sqe zoned = GetLogPageCommand.encode(Sqe.allocate(), LogPageId.COMMANDS_SUPPORTED_AND_EFFECTS, 64, 0);
        GetLogPageCommand.csi(zoned, Csi.ZONED).sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 64);
        assertEquals(Status.INVALID_FIELD | DNR, host.execute(zoned).status());
        assertEquals(Status.INVALID_FIELD | DNR, logStatus(LogPageId.COMMANDS_SUPPORTED_AND_EFFECTS, 64, 2));
        assertEquals(Status.INVALID_FIELD | DNR, logStatus(LogPageId.COMMANDS_SUPPORTED_AND_EFFECTS, 64, 8192));
        assertEquals(Status.INVALID_FIELD | DNR, logStatus(LogPageId.COMMANDS_SUPPORTED_AND_EFFECTS, 64, -4));
    }

    @Test
    void shouldSayWhichCommandsThereAre() throws IOException {
        CommandsSupportedAndEffects effects =
                CommandsSupportedAndEffects.decode(log(LogPageId.COMMANDS_SUPPORTED_AND_EFFECTS, 4096, 0), 0);
        assertEquals(1, effects.admin(Opcode.Admin.IDENTIFY));
        assertEquals(3, effects.io(Opcode.Nvm.WRITE));
        assertEquals(1, effects.io(Opcode.Nvm.COMPARE));
        assertEquals(3, effects.io(Opcode.Nvm.COPY));
        assertEquals(0, effects.io(0x7A));
    }

    @Test
    void shouldRememberErrors() throws IOException {
        host.execute(Sqe.allocate().clear(0xC1).nsid(7));
        ErrorLogEntry entry = ErrorLogEntry.decode(log(LogPageId.ERROR_INFORMATION, 64, 0), 0);
        assertEquals(1, entry.get(ErrorLogEntry.Field.COUNT));
        assertEquals(Status.INVALID_OPCODE | DNR, entry.status());
        assertEquals(0xC1, entry.get(ErrorLogEntry.Field.OPC));
        assertEquals(7, entry.get(ErrorLogEntry.Field.NSID));
        assertEquals(0, entry.get(ErrorLogEntry.Field.PARAMETER_LOCATION), "the opcode");
        assertEquals(0, entry.get(ErrorLogEntry.Field.TRTYPE), "the transport is not to blame");
        SmartLog smart = SmartLog.decode(log(LogPageId.SMART_HEALTH, 512, 0), 0);
        assertEquals(1, smart.get(SmartLog.Field.ERROR_LOG_ENTRIES));
    }

    private static String where(ErrorLogEntry entry) {
        return Long.toHexString(entry.get(ErrorLogEntry.Field.SQID)) + " "
                + Integer.toHexString(entry.status()) + " "
                + Long.toHexString(entry.get(ErrorLogEntry.Field.PARAMETER_LOCATION)) + " "
                + Long.toHexString(entry.get(ErrorLogEntry.Field.LBA)) + " "
                + Long.toHexString(entry.get(ErrorLogEntry.Field.NSID)) + " "
                + Long.toHexString(entry.get(ErrorLogEntry.Field.TRTYPE));
    }

    /** Newest first: queue, status, location, block, namespace, transport. */
    @Test
    void shouldSayWhatWasWrongWithACommand() throws IOException {
        try (RawHost io = open()) {
            io.initialize(0, InitializeConnection.DIGEST_DATA);
            io.connectIo(controllerId, 1, 31, NQN);
            byte[] block = new byte[512];
            Sqe beyond = ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.WRITE, 1, 0x12345678AL, 1);
            io.execute(inCapsule(beyond, 512), block);
            io.execute(inCapsule(ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.WRITE, 9, 3, 1), 512), block);
            io.execute(inCapsule(ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.WRITE, 1, 3, 2), 512), block);
            Sqe spoiled = inCapsule(ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.WRITE, 1, 3, 1), 512);
            spoiled.commandId(77);
            byte[] capsule = io.capsule(spoiled, block);
            capsule[capsule.length - 1] ^= 1;
            io.send(capsule);
            assertEquals(Status.TRANSIENT_TRANSPORT_ERROR, io.completionOf(77).status());
            io.execute(Sqe.allocate().clear(0x7A).nsid(1).cdw(10, 5));
        }
        Awaitility.await()
                .until(() ->
                        SmartLog.decode(log(LogPageId.SMART_HEALTH, 512, 0), 0).get(SmartLog.Field.ERROR_LOG_ENTRIES)
                                == 5);
        ByteBuffer page = log(LogPageId.ERROR_INFORMATION, 5 * ErrorLogEntry.BYTES, 0);
        String[] expected = {
            "1 4001 0 0 1 0", "1 22 ffff 3 1 3", "1 400f 18 3 1 0", "1 400b 4 3 9 0", "1 4080 28 12345678a 1 0"
        };
        for (int i = 0; i < expected.length; i++) {
            assertEquals(expected[i], where(ErrorLogEntry.decode(page, i * ErrorLogEntry.BYTES)), "entry " + i);
        }
    }

    private static Sqe inCapsule(Sqe sqe, int bytes) {
        sqe.sgl1().set(SglDescriptor.IN_CAPSULE, 0, bytes);
        return sqe;
    }

    @Test
    void shouldCountWhatHostsReadAndWrite() throws IOException {
        try (RawHost io = open()) {
            io.initialize(0, 0);
            io.connectIo(controllerId, 1, 31, NQN);
            io.executeWrite(ReadWriteCommand.encode(Sqe.allocate(), 1, 1, 0, 2048), new byte[1 << 20], 1 << 20);
            io.executeRead(ReadWriteCommand.encode(Sqe.allocate(), 2, 1, 0, 8), 4096);
            io.executeRead(ReadWriteCommand.encode(Sqe.allocate(), 2, 1, 0, 8), 4096);
            SmartLog smart = SmartLog.decode(log(LogPageId.SMART_HEALTH, 512, 0), 0);
            assertEquals(3, smart.get(SmartLog.Field.DATA_UNITS_WRITTEN), "1 MiB in units of 512,000 bytes");
            assertEquals(1, smart.get(SmartLog.Field.DATA_UNITS_READ));
            assertEquals(1, smart.get(SmartLog.Field.HOST_WRITE_COMMANDS));
            assertEquals(2, smart.get(SmartLog.Field.HOST_READ_COMMANDS));
        }
        SmartLog smart = SmartLog.decode(log(LogPageId.SMART_HEALTH, 512, 0), 0);
        assertEquals(2, smart.get(SmartLog.Field.HOST_READ_COMMANDS), "kept when the queue has ended");
        assertEquals(
                new IoCounts(2, 8192, 1, 1 << 20, 0), target.administration().ioCounts(NQN, 1));
    }

    /** The counters are the subsystem's: whoever has read and written, and wherever it is now. */
    @Test
    void shouldTellEveryControllerWhatAllHostsHaveDone() throws IOException {
        try (RawHost other = admin();
                RawHost io = open()) {
            io.initialize(0, 0);
            io.connectIo(controllerId, 1, 31, NQN);
            io.executeWrite(ReadWriteCommand.encode(Sqe.allocate(), 1, 1, 0, 2048), new byte[1 << 20], 1 << 20);
            io.executeRead(ReadWriteCommand.encode(Sqe.allocate(), 2, 2, 0, 1), 4096);
            assertEquals(
                    0,
                    io.execute(ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.VERIFY, 2, 0, 128))
                            .status());
            int writeUncorrectable = Opcode.Nvm.WRITE_UNCORRECTABLE;
            assertEquals(
                    0,
                    io.execute(ReadWriteCommand.encode(Sqe.allocate(), writeUncorrectable, 2, 5, 1))
                            .status());
            Sqe bad = ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.READ, 2, 5, 1);
            bad.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 4096);
            assertEquals(Status.UNRECOVERED_READ_ERROR | DNR, io.execute(bad).status());
            IoCounts first = new IoCounts(0, 0, 1, 1 << 20, 0);
            IoCounts second = new IoCounts(2, 2 * 4096 + 128 * 4096, 0, 0, 1);
            assertEquals(first, target.administration().ioCounts(NQN, 1));
            assertEquals(second, target.administration().ioCounts(NQN, 2));
            target.administration().removeNamespace(NQN, 2);
            assertThrows(
                    IllegalArgumentException.class,
                    () -> target.administration().ioCounts(NQN, 2));
            assertEquals(first.plus(second), target.administration().ioCounts(NQN), "nothing is forgotten");
            byte[] page =
                    other.executeRead(GetLogPageCommand.encode(Sqe.allocate(), LogPageId.SMART_HEALTH, 512, 0), 512);
            SmartLog smart = SmartLog.decode(buffer(page), 0);
            assertEquals(2, smart.get(SmartLog.Field.HOST_READ_COMMANDS));
            assertEquals(2, smart.get(SmartLog.Field.DATA_UNITS_READ), "532,480 bytes in units of 512,000");
            assertEquals(1, smart.get(SmartLog.Field.HOST_WRITE_COMMANDS));
            assertEquals(3, smart.get(SmartLog.Field.DATA_UNITS_WRITTEN));
            assertEquals(1, smart.get(SmartLog.Field.MEDIA_ERRORS));
            assertEquals(0, smart.get(SmartLog.Field.ERROR_LOG_ENTRIES), "the log is each controller's own");
        }
    }

    @Test
    void shouldTellOfNoSingleNamespaceAsLpaSays() throws IOException {
        IdentifyController data = IdentifyController.decode(identify(Cns.CONTROLLER, 0), 0);
        assertFalse(data.has(Field.LPA, 1), "SMART per namespace");
        Sqe ofOne = GetLogPageCommand.encode(Sqe.allocate(), LogPageId.SMART_HEALTH, 512, 0)
                .nsid(1);
        ofOne.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 512);
        assertEquals(Status.INVALID_FIELD | DNR, host.execute(ofOne).status());
        host.executeRead(
                GetLogPageCommand.encode(Sqe.allocate(), LogPageId.SMART_HEALTH, 512, 0)
                        .nsid(Sqe.NSID_ALL),
                512);
    }

    @Test
    void shouldTellADiscoveryHostWhatItMayReach() throws IOException {
        try (RawHost discovery = open()) {
            discovery.connectAdmin(DISCOVERY_NQN, 0);
            discovery.enable();
            ByteBuffer page = buffer(discovery.executeRead(
                    GetLogPageCommand.encode(Sqe.allocate(), LogPageId.DISCOVERY, 4096, 0), 4096));
            DiscoveryLogHeader header = DiscoveryLogHeader.decode(page, 0);
            assertEquals(2, header.recordCount(), "discovery itself; the private subsystem is for a friend");
            DiscoveryLogEntry entry = DiscoveryLogEntry.decode(page, 2 * 1024);
            assertEquals(NQN, entry.subsystemNqn());
            assertEquals("127.0.0.1", entry.transportAddress());
            assertEquals(Integer.toString(target.addresses().get(0).getPort()), entry.serviceId());
            assertEquals(3, entry.get(DiscoveryLogEntry.Field.TRTYPE));
            assertEquals(2, entry.get(DiscoveryLogEntry.Field.SUBTYPE));
            Sqe identify = identifyCommand(Cns.CONTROLLER, 0);
            IdentifyController data = IdentifyController.decode(buffer(discovery.executeRead(identify, 4096)), 0);
            assertEquals(2, data.get(Field.CNTRLTYPE));
            assertEquals(DISCOVERY_NQN, data.subsystemNqn());
            Sqe abort = Sqe.allocate().clear(Opcode.Admin.ABORT);
            assertEquals(Status.INVALID_OPCODE | DNR, discovery.execute(abort).status());
        }
    }

    // ---- features

    @Test
    void shouldAllocateQueuesUpToTheLimitBeforeThereAreAny() throws IOException {
        assertEquals(
                0x0001_0001, setFeature(FeatureId.NUMBER_OF_QUEUES, 0x0001_0001).dw0());
        assertEquals(
                0x0003_0003, setFeature(FeatureId.NUMBER_OF_QUEUES, 0x00FF_00FF).dw0(), "four at most");
        assertEquals(0x0003_0003, getFeature(FeatureId.NUMBER_OF_QUEUES).dw0());
        assertEquals(
                Status.INVALID_FIELD | DNR,
                setFeature(FeatureId.NUMBER_OF_QUEUES, 0xFFFF).status());
        try (RawHost io = open()) {
            io.initialize(0, 0);
            io.connectIo(controllerId, 4, 31, NQN);
            assertEquals(
                    Status.COMMAND_SEQUENCE_ERROR | DNR,
                    setFeature(FeatureId.NUMBER_OF_QUEUES, 0).status());
        }
    }

    @Test
    void shouldRoundTheKeepAliveTimeoutUp() throws IOException {
        assertEquals(
                Status.KEEP_ALIVE_TIMEOUT_INVALID | DNR,
                host.execute(Sqe.allocate().clear(0x18)).status());
        assertEquals(0, setFeature(FeatureId.KEEP_ALIVE_TIMER, 60_001).status());
        assertEquals(61_000, getFeature(FeatureId.KEEP_ALIVE_TIMER).dw0());
        assertEquals(0, host.execute(Sqe.allocate().clear(0x18)).status());
    }

    @Test
    void shouldSwitchTheWriteCache() throws IOException {
        assertEquals(1, getFeature(FeatureId.VOLATILE_WRITE_CACHE).dw0());
        assertEquals(0, setFeature(FeatureId.VOLATILE_WRITE_CACHE, 0).status());
        assertEquals(0, getFeature(FeatureId.VOLATILE_WRITE_CACHE).dw0());
    }

    @Test
    void shouldRefuseFeaturesThatAreNotThere() throws IOException {
        assertEquals(Status.INVALID_FIELD | DNR, getFeature(0x08).status());
        assertEquals(Status.INVALID_FIELD | DNR, setFeature(0xC0, 0).status());
        assertEquals(
                Status.FEATURE_NOT_SAVEABLE | DNR,
                host.execute(FeaturesCommand.encodeSet(Sqe.allocate(), 0x0B, 0).cdw(10, 0x8000_000BL))
                        .status());
        assertEquals(
                Status.INVALID_FIELD | DNR,
                setFeature(FeatureId.ASYNC_EVENT_CONFIG, 1 << 12).status());
    }

    // ---- events and abort

    @Test
    void shouldReportANamespaceChangeOnceUntilTheLogIsRead() throws IOException {
        assertEquals(0, setFeature(FeatureId.ASYNC_EVENT_CONFIG, 0x100).status());
        int first = host.submit(Sqe.allocate().clear(Opcode.Admin.ASYNC_EVENT_REQUEST));
        target.administration().addNamespace(NQN, namespace(7, 512));
        assertEquals(0x0004_0002, host.completionOf(first).dw0());
        int second = host.submit(Sqe.allocate().clear(Opcode.Admin.ASYNC_EVENT_REQUEST));
        target.administration().removeNamespace(NQN, 2);
        assertArrayEquals(
                new long[] {2, 7}, ChangedNamespaceList.decode(log(LogPageId.CHANGED_NAMESPACE_LIST, 4096, 0), 0));
        assertArrayEquals(
                new long[] {}, ChangedNamespaceList.decode(log(LogPageId.CHANGED_NAMESPACE_LIST, 4096, 0), 0));
        assertArrayEquals(new long[] {1, 7}, NamespaceList.decode(identify(Cns.ACTIVE_NAMESPACE_LIST, 0), 0));
        target.administration().addNamespace(NQN, namespace(8, 512));
        assertEquals(0x0004_0002, host.completionOf(second).dw0());
    }

    @Test
    void shouldKeepAnEventUntilSomebodyAsks() throws IOException {
        setFeature(FeatureId.ASYNC_EVENT_CONFIG, 0x100);
        target.administration().addNamespace(NQN, namespace(7, 512));
        int request = host.submit(Sqe.allocate().clear(Opcode.Admin.ASYNC_EVENT_REQUEST));
        assertEquals(0x0004_0002, host.completionOf(request).dw0());
    }

    @Test
    void shouldTakeFourEventRequestsAndAbortOne() throws IOException {
        int[] ids = new int[4];
        for (int i = 0; i < 4; i++) {
            ids[i] = host.submit(Sqe.allocate().clear(Opcode.Admin.ASYNC_EVENT_REQUEST));
        }
        int fifth = host.submit(Sqe.allocate().clear(Opcode.Admin.ASYNC_EVENT_REQUEST));
        assertEquals(
                Status.ASYNC_EVENT_REQUEST_LIMIT_EXCEEDED | DNR,
                host.completionOf(fifth).status());
        int abort = host.submit(Sqe.allocate().clear(Opcode.Admin.ABORT).cdw(10, (long) ids[2] << 16));
        assertEquals(Status.ABORT_REQUESTED, host.completionOf(ids[2]).status());
        assertEquals(0, host.completionOf(abort).dw0(), "aborted");
        Sqe again = Sqe.allocate().clear(Opcode.Admin.ABORT).cdw(10, (long) ids[2] << 16);
        assertEquals(1, host.execute(again).dw0(), "not aborted: it is not there");
        Sqe otherQueue = Sqe.allocate().clear(Opcode.Admin.ABORT).cdw(10, 3);
        assertEquals(1, host.execute(otherQueue).dw0());
    }

    @Test
    void shouldAbortACommandThatWaitsForABuffer() throws IOException {
        try (RawHost io = open()) {
            io.initialize(0, 0);
            io.connectIo(controllerId, 1, 31, NQN);
            // Six transfers take what one queue may have of the loop's buffers; the others wait for theirs.
            for (int i = 0; i < 9; i++) {
                Sqe sqe = ReadWriteCommand.encode(Sqe.allocate(), 1, 1, 0, 2048).commandId(i);
                sqe.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 1 << 20);
                io.send(io.capsule(sqe, new byte[0]));
            }
            for (int i = 0; i < 6; i++) {
                io.read();
            }
            Sqe pending = Sqe.allocate().clear(Opcode.Admin.ABORT).cdw(10, 1 | 3L << 16);
            assertEquals(0, host.execute(pending).dw0(), "its data is on the way");
            Sqe waiting = Sqe.allocate().clear(Opcode.Admin.ABORT).cdw(10, 1 | 8L << 16);
            assertEquals(0, host.execute(waiting).dw0());
            assertEquals(Status.ABORT_REQUESTED, io.completionOf(8).status());
        }
    }

    @Test
    void shouldGoOnWithWhatWaitedBehindACommandThatIsAborted() throws IOException {
        try (RawHost io = open()) {
            io.initialize(0, 0);
            io.connectIo(controllerId, 1, 31, NQN);
            // Half a transfer less than one queue may have of the loop's buffers, one that is too large, one that is
            // not.
            int[] blocks = {2048, 2048, 2048, 2048, 2048, 1024, 2048, 8};
            for (int i = 0; i < blocks.length; i++) {
                Sqe sqe = ReadWriteCommand.encode(Sqe.allocate(), 1, 1, 0, blocks[i])
                        .commandId(i);
                sqe.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, blocks[i] * 512);
                io.send(io.capsule(sqe, new byte[0]));
            }
            for (int i = 0; i < 6; i++) {
                io.read();
            }
            Sqe abort = Sqe.allocate().clear(Opcode.Admin.ABORT).cdw(10, 1 | 6L << 16);
            assertEquals(0, host.execute(abort).dw0());
            assertEquals(Status.ABORT_REQUESTED, io.completionOf(6).status());
            assertEquals(7, R2T.commandId(io.read().header()));
        }
    }

    @Test
    void shouldAbortAWriteWhoseDataIsOnTheWay() throws IOException {
        try (RawHost io = open()) {
            io.initialize(0, 0);
            io.connectIo(controllerId, 1, 31, NQN);
            Sqe write = ReadWriteCommand.encode(Sqe.allocate(), 1, 1, 0, 32);
            write.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 32 * 512);
            int commandId = io.submit(write);
            int tag = R2T.transferTag(io.read().header());
            byte[] data = new byte[32 * 512];
            Arrays.fill(data, (byte) 1);
            io.send(io.hostData(commandId, tag, 0, Arrays.copyOf(data, 512), false));
            Sqe abort = Sqe.allocate().clear(Opcode.Admin.ABORT).cdw(10, 1 | (long) commandId << 16);
            assertEquals(0, host.execute(abort).dw0());
            io.send(io.hostData(commandId, tag, 512, Arrays.copyOf(data, data.length - 512), true));
            assertEquals(Status.ABORT_REQUESTED, io.completionOf(commandId).status());
            byte[] stored = io.executeRead(ReadWriteCommand.encode(Sqe.allocate(), 2, 1, 0, 32), 32 * 512);
            assertArrayEquals(new byte[32 * 512], stored);
        }
    }

    @Test
    void shouldTakeNoMoreAbortsAtATimeThanItSays() throws IOException {
        try (RawHost io = open()) {
            io.initialize(0, 0);
            io.connectIo(controllerId, 1, 31, NQN);
            ByteArrayOutputStream together = new ByteArrayOutputStream();
            for (int i = 0; i < 5; i++) {
                Sqe abort = Sqe.allocate().clear(Opcode.Admin.ABORT).cdw(10, 1 | 77L << 16);
                together.write(host.capsule(abort.commandId(i), new byte[0]));
            }
            host.send(together.toByteArray());
            int refused = 0;
            for (int i = 0; i < 5; i++) {
                Cqe cqe = host.read().completion();
                if (cqe.status() == Status.ABORT_COMMAND_LIMIT_EXCEEDED) {
                    refused++;
                } else {
                    assertEquals(0, cqe.status());
                    assertEquals(1, cqe.dw0());
                }
            }
            assertEquals(1, refused);
            Sqe later = Sqe.allocate().clear(Opcode.Admin.ABORT).cdw(10, 1 | 77L << 16);
            assertEquals(0, host.execute(later).status());
        }
    }

    @Test
    void shouldServeNoNamespaceOfAnotherSubsystem() throws IOException {
        try (RawHost friend = open()) {
            friend.initialize(0, 0);
            friend.execute(
                    RawHost.connectCommand(0, 31, 0),
                    RawHost.connectData(0xFFFF, PRIVATE_NQN, "nqn.2026-01.io.nvmf:friend"));
            friend.enable();
            byte[] list = friend.executeRead(identifyCommand(Cns.ACTIVE_NAMESPACE_LIST, 0), 4096);
            assertFalse(Bytes.u32(buffer(list), 0) != 0);
        }
    }
}
