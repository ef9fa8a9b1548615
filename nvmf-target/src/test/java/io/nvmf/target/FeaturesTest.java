package io.nvmf.target;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Cqe;
import io.nvmf.codec.Opcode;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.feature.FeatureId;
import io.nvmf.codec.feature.FeaturesCommand;
import io.nvmf.codec.feature.HostBehavior;
import io.nvmf.codec.feature.Timestamp;
import io.nvmf.codec.identify.Cns;
import io.nvmf.codec.identify.IdentifyCommand;
import io.nvmf.codec.identify.IdentifyNamespace;
import io.nvmf.codec.identify.Nguid;
import io.nvmf.codec.log.FeaturesSupportedAndEffects;
import io.nvmf.codec.log.GetLogPageCommand;
import io.nvmf.codec.log.LogPageId;
import io.nvmf.codec.log.SmartLog;
import io.nvmf.codec.nvm.DatasetManagementCommand;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.target.backend.BlockError;
import io.nvmf.target.config.NamespaceConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every feature, by Get and Set, and what some of them bring about. */
class FeaturesTest extends TargetTestBase {
    private static final int DNR = Status.DNR;

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

    private Cqe get(int featureId, int select, long nsid, long cdw11) throws IOException {
        return host.execute(FeaturesCommand.encodeGet(Sqe.allocate(), featureId, select)
                .nsid(nsid)
                .cdw(11, cdw11));
    }

    private long value(int featureId, long nsid) throws IOException {
        Cqe cqe = get(featureId, FeaturesCommand.SELECT_CURRENT, nsid, 0);
        assertEquals(0, cqe.status());
        return cqe.dw0();
    }

    private Cqe set(int featureId, long nsid, long value) throws IOException {
        return host.execute(
                FeaturesCommand.encodeSet(Sqe.allocate(), featureId, value).nsid(nsid));
    }

    private byte[] getData(int featureId, int select, long cdw11, int bytes) throws IOException {
        return host.executeRead(
                FeaturesCommand.encodeGet(Sqe.allocate(), featureId, select).cdw(11, cdw11), bytes);
    }

    private int setData(int featureId, byte[] data) throws IOException {
        Sqe sqe = FeaturesCommand.encodeSet(Sqe.allocate(), featureId, 0);
        sqe.sgl1().set(SglDescriptor.IN_CAPSULE, 0, data.length);
        return host.execute(sqe, data).status();
    }

    private SmartLog smart() throws IOException {
        byte[] bytes = host.executeRead(GetLogPageCommand.encode(Sqe.allocate(), LogPageId.SMART_HEALTH, 512, 0), 512);
        return SmartLog.decode(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN), 0);
    }

    private RawHost io() throws IOException {
        RawHost io = open();
        io.initialize(0, 0);
        io.connectIo(controllerId, 1, 31, NQN);
        return io;
    }

    private static Sqe write(long nsid) {
        Sqe sqe = ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.WRITE, nsid, 0, 1);
        sqe.sgl1().set(SglDescriptor.IN_CAPSULE, 0, 512);
        return sqe;
    }

    @ParameterizedTest
    @CsvSource({
        "1, 4", "2, 4", "4, 4", "5, 6", "6, 4", "7, 4", "10, 4", "11, 4", "14, 4", "15, 4", "22, 4", "25, 4", "129, 0",
        "132, 6"
    })
    void shouldSayWhatCanBeDoneWithAFeature(int featureId, int capabilities) throws IOException {
        Cqe cqe = get(featureId, FeaturesCommand.SELECT_CAPABILITIES, 0, 0);
        assertEquals(0, cqe.status());
        assertEquals(capabilities, cqe.dw0());
        Sqe save = FeaturesCommand.encodeSet(Sqe.allocate(), featureId, 0).nsid(1);
        assertEquals(
                Status.FEATURE_NOT_SAVEABLE | DNR,
                host.execute(save.cdw(10, 1L << 31 | featureId)).status());
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5, 7})
    void shouldRefuseSelectionsThatThereAreNot(int select) throws IOException {
        assertEquals(
                Status.INVALID_FIELD | DNR,
                get(FeatureId.ARBITRATION, select, 0, 0).status());
    }

    @Test
    void shouldTellTheDefaultBesideTheCurrentValueAndForgetItOnReset() throws IOException {
        assertEquals(0, set(FeatureId.ARBITRATION, 0, 0x0102_0307).status());
        assertEquals(0x0102_0307, value(FeatureId.ARBITRATION, 0));
        for (int select : new int[] {FeaturesCommand.SELECT_DEFAULT, FeaturesCommand.SELECT_SAVED}) {
            assertEquals(0, get(FeatureId.ARBITRATION, select, 0, 0).dw0());
            assertEquals(1, get(FeatureId.VOLATILE_WRITE_CACHE, select, 0, 0).dw0());
            assertEquals(
                    0x0003_0003, get(FeatureId.NUMBER_OF_QUEUES, select, 0, 0).dw0());
        }
        host.setProperty(Property.CC, 0);
        host.enable();
        assertEquals(0, value(FeatureId.ARBITRATION, 0));
    }

    @Test
    void shouldKeepAFeatureOfANamespaceForEachOfThem() throws IOException {
        assertEquals(0, set(FeatureId.ERROR_RECOVERY, 1, 77).status());
        assertEquals(77, value(FeatureId.ERROR_RECOVERY, 1));
        assertEquals(0, value(FeatureId.ERROR_RECOVERY, 2));
        assertEquals(
                Status.INVALID_FIELD | DNR,
                set(FeatureId.ERROR_RECOVERY, 1, 1 << 16).status(),
                "DULBE, which no namespace offers");
        assertEquals(
                Status.INVALID_NAMESPACE_OR_FORMAT | DNR,
                set(FeatureId.ERROR_RECOVERY, 3, 0).status());
        assertEquals(
                Status.INVALID_NAMESPACE_OR_FORMAT | DNR,
                get(FeatureId.ERROR_RECOVERY, 0, 3, 0).status());
        assertEquals(
                Status.FEATURE_NOT_NAMESPACE_SPECIFIC | DNR,
                set(FeatureId.VOLATILE_WRITE_CACHE, 1, 0).status());
        assertEquals(0, set(FeatureId.VOLATILE_WRITE_CACHE, 0xFFFF_FFFFL, 1).status());
    }

    @Test
    void shouldHaveOnePowerStateAndOneCommandSetProfile() throws IOException {
        assertEquals(0, set(FeatureId.POWER_MANAGEMENT, 0, 0x20).status(), "a workload hint");
        assertEquals(0x20, value(FeatureId.POWER_MANAGEMENT, 0));
        assertEquals(
                Status.INVALID_FIELD | DNR,
                set(FeatureId.POWER_MANAGEMENT, 0, 1).status());
        assertEquals(0, set(FeatureId.IO_COMMAND_SET_PROFILE, 0, 0).status());
        assertEquals(
                Status.IO_COMMAND_SET_COMBINATION_REJECTED | DNR,
                set(FeatureId.IO_COMMAND_SET_PROFILE, 0, 1).status());
    }

    @Test
    void shouldCountTheTimeOnFromWhatTheHostSets() throws IOException {
        ByteBuffer reset =
                ByteBuffer.wrap(getData(FeatureId.TIMESTAMP, 0, 0, 8)).order(ByteOrder.LITTLE_ENDIAN);
        assertEquals(Timestamp.ORIGIN_RESET, Timestamp.decode(reset, 0).origin());
        ByteBuffer bytes = Bytes.allocate(8);
        new Timestamp(0x0188_0000_0000L, 0).encode(bytes, 0);
        assertEquals(0, setData(FeatureId.TIMESTAMP, bytes.array()));
        ByteBuffer now = ByteBuffer.wrap(getData(FeatureId.TIMESTAMP, 0, 0, 8)).order(ByteOrder.LITTLE_ENDIAN);
        Timestamp timestamp = Timestamp.decode(now, 0);
        assertEquals(Timestamp.ORIGIN_HOST, timestamp.origin());
        assertTrue(timestamp.milliseconds() >= 0x0188_0000_0000L && timestamp.milliseconds() < 0x0188_0010_0000L);
        assertArrayEquals(new byte[8], getData(FeatureId.TIMESTAMP, FeaturesCommand.SELECT_DEFAULT, 0, 8));
        assertEquals(Status.SGL_DATA_LENGTH_INVALID | DNR, setData(FeatureId.TIMESTAMP, new byte[16]));
    }

    @Test
    void shouldKeepTheHostsBehavior() throws IOException {
        byte[] data = new byte[HostBehavior.BYTES];
        data[0] = 1;
        assertEquals(0, setData(FeatureId.HOST_BEHAVIOR, data));
        assertArrayEquals(data, getData(FeatureId.HOST_BEHAVIOR, 0, 0, HostBehavior.BYTES));
        data[1] = 2;
        assertEquals(Status.INVALID_FIELD | DNR, setData(FeatureId.HOST_BEHAVIOR, data));
    }

    @Test
    void shouldTellTheHostItsIdentifierAndKeepIt() throws IOException {
        ByteBuffer expected = ByteBuffer.allocate(16)
                .putLong(RawHost.HOST_ID.getMostSignificantBits())
                .putLong(RawHost.HOST_ID.getLeastSignificantBits());
        assertArrayEquals(expected.array(), getData(FeatureId.HOST_IDENTIFIER, 0, 1, 16));
        assertEquals(
                Status.HOST_ID_INCONSISTENT_FORMAT | DNR,
                get(FeatureId.HOST_IDENTIFIER, 0, 0, 0).status());
        assertEquals(Status.COMMAND_SEQUENCE_ERROR | DNR, setData(FeatureId.HOST_IDENTIFIER, new byte[16]));
    }

    @Test
    void shouldListTheFeatures() throws IOException {
        byte[] bytes = host.executeRead(
                GetLogPageCommand.encode(Sqe.allocate(), LogPageId.FEATURES_SUPPORTED_AND_EFFECTS, 1024, 0), 1024);
        ByteBuffer page = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        for (int id = 0; id < 256; id++) {
            boolean listed = (FeaturesSupportedAndEffects.entry(page, 0, id) & 1) != 0;
            int status = get(id, FeaturesCommand.SELECT_CAPABILITIES, 0, 0).status();
            assertEquals(listed ? 0 : Status.INVALID_FIELD | DNR, status, "feature " + id);
        }
        assertEquals(0x0020_0001, FeaturesSupportedAndEffects.entry(page, 0, FeatureId.VOLATILE_WRITE_CACHE));
        assertEquals(0x0010_0001, FeaturesSupportedAndEffects.entry(page, 0, FeatureId.NAMESPACE_WRITE_PROTECTION));
    }

    @Test
    void shouldSwitchTheKeepAliveTimerOffButNotForADiscoveryHost() throws IOException {
        assertEquals(0, set(FeatureId.KEEP_ALIVE_TIMER, 0, 5000).status());
        assertEquals(0, set(FeatureId.KEEP_ALIVE_TIMER, 0, 0).status());
        assertEquals(0, value(FeatureId.KEEP_ALIVE_TIMER, 0));
        try (RawHost discovery = open()) {
            discovery.connectAdmin("nqn.2014-08.org.nvmexpress.discovery", 5000);
            discovery.enable();
            Sqe off = FeaturesCommand.encodeSet(Sqe.allocate(), FeatureId.KEEP_ALIVE_TIMER, 0);
            assertEquals(0, discovery.execute(off).status());
            Sqe get = FeaturesCommand.encodeGet(Sqe.allocate(), FeatureId.KEEP_ALIVE_TIMER, 0);
            assertEquals(120_000, discovery.execute(get).dw0(), "it would stay for ever");
        }
    }

    @Test
    void shouldTakeAnyCommandForASignOfLife() throws IOException {
        try (RawHost lively = open()) {
            lively.connectAdmin(NQN, 1000);
            lively.enable();
            Awaitility.await()
                    .during(2500, TimeUnit.MILLISECONDS)
                    .atMost(30, TimeUnit.SECONDS)
                    .until(() -> lively.getProperty(Property.CSTS) == 1);
            assertNull(lively.read(), "silent again, it is given up");
        }
    }

    // ---- temperature and health

    @Test
    void shouldTellOfATemperatureThatReachesItsThreshold() throws IOException {
        assertEquals(0, set(FeatureId.ASYNC_EVENT_CONFIG, 0, 0xFF).status());
        assertEquals(343, get(FeatureId.TEMPERATURE_THRESHOLD, 0, 0, 0).dw0());
        int event = host.submit(Sqe.allocate().clear(Opcode.Admin.ASYNC_EVENT_REQUEST));
        assertEquals(0, set(FeatureId.TEMPERATURE_THRESHOLD, 0, 200).status());
        assertEquals(0x0002_0101, host.completionOf(event).dw0());
        assertEquals(200, get(FeatureId.TEMPERATURE_THRESHOLD, 0, 0, 0).dw0());
        assertEquals(2, smart().get(SmartLog.Field.CRITICAL_WARNING));
        assertEquals(0, set(FeatureId.TEMPERATURE_THRESHOLD, 0, 343).status());
        assertEquals(0, smart().get(SmartLog.Field.CRITICAL_WARNING));
        int again = host.submit(Sqe.allocate().clear(Opcode.Admin.ASYNC_EVENT_REQUEST));
        assertEquals(0, set(FeatureId.TEMPERATURE_THRESHOLD, 0, 0x10_0000 | 300).status(), "300 K is too cold");
        assertEquals(0x0002_0101, host.completionOf(again).dw0());
        assertEquals(
                Status.INVALID_FIELD | DNR,
                set(FeatureId.TEMPERATURE_THRESHOLD, 0, 0x1_0000).status(),
                "there is no sensor 1");
    }

    @Test
    void shouldTellOfADeviceThatFailsAndCountItsErrors() throws IOException {
        HeldDevice device = new HeldDevice();
        device.letGo();
        target.administration().addNamespace(NQN, new NamespaceConfig(3, device, 512, new UUID(9, 9), new Nguid(9, 9)));
        set(FeatureId.ASYNC_EVENT_CONFIG, 0, 0xFF);
        int event = host.submit(Sqe.allocate().clear(Opcode.Admin.ASYNC_EVENT_REQUEST));
        try (RawHost io = io()) {
            device.failWith(BlockError.WRITE_ERROR);
            assertEquals(
                    Status.WRITE_FAULT | DNR,
                    io.execute(write(3), new byte[512]).status());
        }
        assertEquals(0x0002_0001, host.completionOf(event).dw0());
        SmartLog smart = smart();
        assertEquals(4, smart.get(SmartLog.Field.CRITICAL_WARNING));
        assertEquals(1, smart.get(SmartLog.Field.MEDIA_ERRORS));
    }

    @Test
    void shouldWarnOfReadOnlyMediaOnlyWhenAllIs() throws IOException {
        HeldDevice device = new HeldDevice();
        device.failWith(BlockError.READ_ONLY);
        target.administration().addNamespace(NQN, new NamespaceConfig(3, device, 512, new UUID(9, 9), new Nguid(9, 9)));
        try (RawHost io = io()) {
            assertEquals(
                    Status.NAMESPACE_WRITE_PROTECTED | DNR,
                    io.execute(write(3), new byte[512]).status());
        }
        assertEquals(0, smart().get(SmartLog.Field.CRITICAL_WARNING));
        target.administration().removeNamespace(NQN, 1);
        target.administration().removeNamespace(NQN, 2);
        assertEquals(8, smart().get(SmartLog.Field.CRITICAL_WARNING));
    }

    // ---- write protection

    private boolean isShownProtected(long nsid) throws IOException {
        byte[] bytes = host.executeRead(IdentifyCommand.encode(Sqe.allocate(), Cns.NAMESPACE, nsid, 0, 0), 4096);
        IdentifyNamespace data = IdentifyNamespace.decode(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN), 0);
        return data.get(IdentifyNamespace.Field.NSATTR) == 1;
    }

    @Test
    void shouldProtectANamespaceAgainstEveryHostAndTellThem() throws IOException {
        set(FeatureId.ASYNC_EVENT_CONFIG, 0, 0x100);
        int event = host.submit(Sqe.allocate().clear(Opcode.Admin.ASYNC_EVENT_REQUEST));
        try (RawHost other = admin();
                RawHost io = io()) {
            assertEquals(0, io.execute(write(1), new byte[512]).status());
            Sqe protect = FeaturesCommand.encodeSet(Sqe.allocate(), FeatureId.NAMESPACE_WRITE_PROTECTION, 1);
            assertEquals(0, other.execute(protect.nsid(1)).status());
            assertEquals(0x0004_0002, host.completionOf(event).dw0());
            assertEquals(1, value(FeatureId.NAMESPACE_WRITE_PROTECTION, 1));
            assertEquals(0, value(FeatureId.NAMESPACE_WRITE_PROTECTION, 2));
            assertTrue(isShownProtected(1));
            int refused = Status.NAMESPACE_WRITE_PROTECTED | DNR;
            assertEquals(refused, io.execute(write(1), new byte[512]).status());
            Sqe zeroes = ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.WRITE_ZEROES, 1, 0, 1);
            assertEquals(refused, io.execute(zeroes).status());
            Sqe deallocate = DatasetManagementCommand.encode(Sqe.allocate(), 1, 1, DatasetManagementCommand.DEALLOCATE);
            deallocate.sgl1().set(SglDescriptor.IN_CAPSULE, 0, 16);
            assertEquals(refused, io.execute(deallocate, new byte[16]).status());
            io.executeRead(ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.READ, 1, 0, 1), 512);
            assertEquals(
                    0,
                    io.execute(Sqe.allocate().clear(Opcode.Nvm.FLUSH).nsid(1)).status());
            assertEquals(0, set(FeatureId.NAMESPACE_WRITE_PROTECTION, 1, 0).status());
            assertEquals(0, io.execute(write(1), new byte[512]).status());
        }
    }

    @Test
    void shouldKeepAProtectionThatIsThereUntilThePowerGoes() throws IOException {
        assertEquals(0, set(FeatureId.NAMESPACE_WRITE_PROTECTION, 1, 2).status());
        assertEquals(
                Status.FEATURE_NOT_CHANGEABLE | DNR,
                set(FeatureId.NAMESPACE_WRITE_PROTECTION, 1, 0).status());
        assertEquals(2, value(FeatureId.NAMESPACE_WRITE_PROTECTION, 1));
        assertEquals(
                Status.INVALID_FIELD | DNR,
                set(FeatureId.NAMESPACE_WRITE_PROTECTION, 2, 3).status(),
                "for ever is not offered");
        assertEquals(
                Status.INVALID_NAMESPACE_OR_FORMAT | DNR,
                set(FeatureId.NAMESPACE_WRITE_PROTECTION, 0, 1).status());
    }
}
