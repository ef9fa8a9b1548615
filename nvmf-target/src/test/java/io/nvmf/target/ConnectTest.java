package io.nvmf.target;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.nvmf.codec.Cqe;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.fabrics.ConnectCommand;
import io.nvmf.codec.fabrics.ConnectData;
import io.nvmf.codec.fabrics.ConnectResponse;
import io.nvmf.codec.fabrics.ControllerConfiguration;
import io.nvmf.codec.fabrics.ControllerStatus;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.feature.FeaturesCommand;
import io.nvmf.target.config.TargetLimits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConnectTest extends TargetTestBase {
    private static final int DNR = Status.DNR;

    @BeforeEach
    void startTarget() throws IOException {
        start();
    }

    private void assertRefused(Sqe sqe, byte[] data, int status, long result) throws IOException {
        try (RawHost host = open()) {
            host.initialize(0, 0);
            Cqe cqe = host.execute(sqe, data);
            assertEquals(Integer.toHexString(status), Integer.toHexString(cqe.status()));
            assertEquals(result, cqe.dw0());
        }
    }

    private static byte[] goodData() {
        return RawHost.connectData(0xFFFF, NQN, RawHost.HOST_NQN);
    }

    private static Sqe good() {
        return RawHost.connectCommand(0, 31, 0);
    }

    @Test
    void shouldGiveEachControllerItsOwnId() throws IOException {
        try (RawHost first = open();
                RawHost second = open()) {
            int id = first.connectAdmin(NQN, 0);
            assertNotEquals(id, second.connectAdmin(NQN, 0));
        }
    }

    @Test
    void shouldRefuseARecordFormat() throws IOException {
        Sqe sqe = good();
        sqe.buffer().putShort(ConnectCommand.RECORD_FORMAT_OFFSET, (short) 1);
        assertRefused(sqe, goodData(), Status.CONNECT_INCOMPATIBLE_FORMAT | DNR, 0);
    }

    @Test
    void shouldRefuseDataOfAnotherLength() throws IOException {
        Sqe sqe = good();
        sqe.sgl1().set(SglDescriptor.IN_CAPSULE, 0, 512);
        assertRefused(sqe, Arrays.copyOf(goodData(), 512), Status.SGL_DATA_LENGTH_INVALID | DNR, 0);
    }

    @Test
    void shouldRefuseAnUnknownSubsystem() throws IOException {
        byte[] data = RawHost.connectData(0xFFFF, "nqn.2026-01.io.nvmf:other", RawHost.HOST_NQN);
        assertRefused(good(), data, Status.CONNECT_INVALID_PARAMETERS | DNR, ConnectResponse.invalidInData(256));
    }

    @Test
    void shouldRefuseAHostThatIsNotAllowed() throws IOException {
        byte[] data = RawHost.connectData(0xFFFF, PRIVATE_NQN, RawHost.HOST_NQN);
        assertRefused(good(), data, Status.CONNECT_INVALID_HOST | DNR, 0);
        try (RawHost friend = open()) {
            friend.initialize(0, 0);
            byte[] allowed = RawHost.connectData(0xFFFF, PRIVATE_NQN, "nqn.2026-01.io.nvmf:friend");
            assertEquals(0, friend.execute(good(), allowed).status());
        }
    }

    @Test
    void shouldRefuseNamesWithoutEnd() throws IOException {
        byte[] data = goodData();
        Arrays.fill(data, ConnectData.SUBSYSTEM_NQN_OFFSET, ConnectData.HOST_NQN_OFFSET, (byte) 'a');
        assertRefused(good(), data, Status.CONNECT_INVALID_PARAMETERS | DNR, ConnectResponse.invalidInData(256));
        byte[] hostData = goodData();
        Arrays.fill(hostData, ConnectData.HOST_NQN_OFFSET, ConnectData.HOST_NQN_OFFSET + 256, (byte) 'a');
        assertRefused(good(), hostData, Status.CONNECT_INVALID_PARAMETERS | DNR, ConnectResponse.invalidInData(512));
    }

    @Test
    void shouldAdmitAHostWithoutNameOnlyWhereEveryHostIs() throws IOException {
        try (RawHost nameless = open()) {
            nameless.initialize(0, 0);
            assertEquals(
                    0,
                    nameless.execute(good(), RawHost.connectData(0xFFFF, NQN, ""))
                            .status());
        }
        assertRefused(good(), RawHost.connectData(0xFFFF, PRIVATE_NQN, ""), Status.CONNECT_INVALID_HOST | DNR, 0);
    }

    @Test
    void shouldRefuseAStaticController() throws IOException {
        byte[] data = RawHost.connectData(5, NQN, RawHost.HOST_NQN);
        assertRefused(good(), data, Status.CONNECT_INVALID_PARAMETERS | DNR, ConnectResponse.invalidInData(16));
    }

    @Test
    void shouldRefuseQueuesThatAreTooShortOrTooLong() throws IOException {
        for (int sqSize : new int[] {0, 128, 0xFFFF}) {
            assertRefused(
                    RawHost.connectCommand(0, sqSize, 0),
                    goodData(),
                    Status.CONNECT_INVALID_PARAMETERS | DNR,
                    ConnectResponse.invalidInCommand(44));
        }
    }

    @Test
    void shouldRefuseAnIoQueueOfAnUnknownController() throws IOException {
        byte[] data = RawHost.connectData(0xFFF, NQN, RawHost.HOST_NQN);
        assertRefused(
                RawHost.connectCommand(1, 31, 0),
                data,
                Status.CONNECT_INVALID_PARAMETERS,
                ConnectResponse.invalidInData(16));
    }

    @Test
    void shouldCheckIoQueuesAgainstTheirController() throws IOException {
        try (RawHost admin = open()) {
            int id = admin.connectAdmin(NQN, 0);
            byte[] data = RawHost.connectData(id, NQN, RawHost.HOST_NQN);
            assertRefused(
                    RawHost.connectCommand(1, 31, 0),
                    data,
                    Status.CONNECT_INVALID_PARAMETERS,
                    ConnectResponse.invalidInCommand(42));
            admin.enable();
            assertRefused(
                    RawHost.connectCommand(5, 31, 0),
                    data,
                    Status.CONNECT_INVALID_PARAMETERS | DNR,
                    ConnectResponse.invalidInCommand(42));
            byte[] stranger = RawHost.connectData(id, NQN, "nqn.2026-01.io.nvmf:stranger");
            assertRefused(
                    RawHost.connectCommand(1, 31, 0),
                    stranger,
                    Status.CONNECT_INVALID_PARAMETERS | DNR,
                    ConnectResponse.invalidInData(16));
            try (RawHost io = open()) {
                io.initialize(0, 0);
                io.connectIo(id, 1, 31, NQN);
                assertRefused(RawHost.connectCommand(1, 31, 0), data, Status.COMMAND_SEQUENCE_ERROR, 0);
            }
        }
    }

    @Test
    void shouldTakeAQueueIdAgainAfterItsConnectionEnded() throws IOException {
        try (RawHost admin = open()) {
            int id = admin.connectAdmin(NQN, 0);
            admin.enable();
            RawHost first = open();
            first.initialize(0, 0);
            first.connectIo(id, 1, 31, NQN);
            first.close();
            org.awaitility.Awaitility.await().untilAsserted(() -> {
                try (RawHost again = open()) {
                    again.initialize(0, 0);
                    again.connectIo(id, 1, 31, NQN);
                }
            });
        }
    }

    @Test
    void shouldTakeConnectFirstAndOnce() throws IOException {
        try (RawHost host = open()) {
            host.initialize(0, 0);
            Sqe keepAlive = Sqe.allocate().clear(0x18);
            assertEquals(
                    Status.COMMAND_SEQUENCE_ERROR | DNR, host.execute(keepAlive).status());
            assertEquals(0, host.execute(good(), goodData()).status());
            assertEquals(
                    Status.COMMAND_SEQUENCE_ERROR | DNR,
                    host.execute(good(), goodData()).status());
        }
    }

    @Test
    void shouldServeNoIoQueueToADiscoveryHost() throws IOException {
        String discovery = "nqn.2014-08.org.nvmexpress.discovery";
        try (RawHost admin = open()) {
            int id = admin.connectAdmin(discovery, 0);
            admin.enable();
            assertRefused(
                    RawHost.connectCommand(1, 31, 0),
                    RawHost.connectData(id, discovery, RawHost.HOST_NQN),
                    Status.CONNECT_INVALID_PARAMETERS | DNR,
                    ConnectResponse.invalidInCommand(42));
        }
    }

    @Test
    void shouldShowAndChangeProperties() throws IOException {
        try (RawHost host = open()) {
            host.connectAdmin(NQN, 0);
            long cap = host.getProperty(Property.CAP);
            assertEquals(127, cap & 0xFFFF, "MQES");
            assertEquals(1, cap >> 16 & 1, "CQR");
            assertEquals(1, cap >> 37 & 1, "NVM command set");
            assertEquals(0x20000, host.getProperty(Property.VS));
            assertEquals(0, host.getProperty(Property.CSTS));
            host.enable();
            assertEquals(1, host.getProperty(Property.CSTS));
            assertEquals(0x460001, host.getProperty(Property.CC));
            host.setProperty(Property.CC, 0x460001 | ControllerConfiguration.NORMAL_SHUTDOWN_BITS);
            assertEquals(9, host.getProperty(Property.CSTS), "ready, shutdown complete");
            host.setProperty(Property.CC, 0);
            assertEquals(0, host.getProperty(Property.CSTS));
            host.enable();
            host.setProperty(Property.CC, 0x460001 | 2L << 14);
            assertEquals(9, host.getProperty(Property.CSTS), "abrupt shutdown");
            assertEquals(
                    Status.COMMAND_SEQUENCE_ERROR | DNR,
                    host.execute(FeaturesCommand.encodeGet(Sqe.allocate(), 0x0B, 0))
                            .status());
            host.setProperty(Property.CC, 0x460001);
            assertEquals(1, host.getProperty(Property.CSTS), "withdrawn");
            host.setProperty(Property.CC, 0x450000 | ControllerConfiguration.NORMAL_SHUTDOWN_BITS);
            assertEquals(8, host.getProperty(Property.CSTS), "disabled, shutdown complete");
            host.setProperty(Property.CC, 0x450001 | ControllerConfiguration.NORMAL_SHUTDOWN_BITS);
            assertEquals(10, host.getProperty(Property.CSTS), "a fatal error stays one");
        }
    }

    @Test
    void shouldReportAFatalConfiguration() throws IOException {
        long[] bad = {0x450001, 0x360001, 0x460081, 0x460801, 0x460061};
        for (long cc : bad) {
            try (RawHost host = open()) {
                host.connectAdmin(NQN, 0);
                host.setProperty(Property.CC, cc);
                assertEquals(ControllerStatus.FATAL, host.getProperty(Property.CSTS), Long.toHexString(cc));
            }
        }
    }

    @Test
    void shouldRefusePropertiesThatDoNotExist() throws IOException {
        try (RawHost host = open()) {
            host.connectAdmin(NQN, 0);
            assertEquals(
                    Status.INVALID_FIELD | DNR,
                    host.setProperty(Property.CAP, 0).status());
            assertEquals(
                    Status.INVALID_FIELD | DNR,
                    host.setProperty(Property.NSSR, 0).status());
            Sqe get = Sqe.allocate();
            io.nvmf.codec.fabrics.PropertyCommand.encodeGet(get, Property.VS);
            get.buffer().put(40, (byte) 1);
            assertEquals(Status.INVALID_FIELD | DNR, host.execute(get).status());
        }
    }

    @Test
    void shouldServeOnlyFabricsCommandsUntilEnabled() throws IOException {
        try (RawHost host = open()) {
            host.connectAdmin(NQN, 0);
            Sqe get = FeaturesCommand.encodeGet(Sqe.allocate(), 0x0B, 0);
            assertEquals(Status.COMMAND_SEQUENCE_ERROR | DNR, host.execute(get).status());
            host.enable();
            assertEquals(0, host.execute(get).status());
        }
    }

    @Test
    void shouldEndIoQueuesAndForgetFeaturesAtReset() throws IOException {
        try (RawHost admin = open();
                RawHost io = open()) {
            int id = admin.connectAdmin(NQN, 0);
            admin.enable();
            io.initialize(0, 0);
            io.connectIo(id, 1, 31, NQN);
            admin.execute(FeaturesCommand.encodeSet(Sqe.allocate(), 0x0B, 0x100));
            admin.setProperty(Property.CC, 0);
            assertNull(io.read());
            admin.enable();
            assertEquals(
                    0,
                    admin.execute(FeaturesCommand.encodeGet(Sqe.allocate(), 0x0B, 0))
                            .dw0());
        }
    }

    @Test
    void shouldEndTheWholeAssociationWithItsAdminQueue() throws IOException {
        try (RawHost io = open()) {
            RawHost admin = open();
            int id = admin.connectAdmin(NQN, 0);
            admin.enable();
            io.initialize(0, 0);
            io.connectIo(id, 1, 31, NQN);
            admin.close();
            assertNull(io.read());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldEndAnAssociationThatKeepsSilentWhetherLoopsSleepOrNot(boolean poll) throws IOException {
        stop();
        start(new TargetLimits(128, 4, 8192, 1 << 20, 16L << 20, 1, poll));
        try (RawHost admin = open();
                RawHost io = open()) {
            int id = admin.connectAdmin(NQN, 1000);
            admin.enable();
            io.initialize(0, 0);
            io.connectIo(id, 1, 31, NQN);
            assertEquals(0, admin.execute(Sqe.allocate().clear(0x18)).status());
            assertNull(admin.read());
            assertNull(io.read());
        }
    }

    @Test
    void shouldWatchOverAHostAgainAfterShutdownAndReset() throws IOException {
        try (RawHost host = open()) {
            host.connectAdmin(NQN, 1000);
            host.enable();
            host.setProperty(Property.CC, 0x460001 | ControllerConfiguration.NORMAL_SHUTDOWN_BITS);
            host.setProperty(Property.CC, 0);
            host.enable();
            assertEquals(
                    1000,
                    host.execute(FeaturesCommand.encodeGet(Sqe.allocate(), 0x0F, 0))
                            .dw0());
            assertEquals(0, host.execute(Sqe.allocate().clear(0x18)).status());
            assertNull(host.read());
        }
    }

    @Test
    void shouldEndAConnectionWhoseConnectsAreAllRefused() throws IOException {
        try (RawHost host = open()) {
            host.initialize(0, 0);
            byte[] data = RawHost.connectData(0xFFFF, "nqn.2026-01.io.nvmf:other", RawHost.HOST_NQN);
            for (int i = 0; i < 7; i++) {
                host.execute(good(), data);
            }
            host.submit(good(), data);
            while (host.read() != null) {
                // the last refusal may still come
            }
        }
    }

    @Test
    void shouldShowHostNamesOfAnyBytes() throws IOException {
        String name = "nqn.2026-01.io.nvmf:höst";
        assertEquals(25, name.getBytes(StandardCharsets.UTF_8).length);
        try (RawHost host = open()) {
            host.initialize(0, 0);
            assertEquals(
                    0,
                    host.execute(good(), RawHost.connectData(0xFFFF, NQN, name)).status());
        }
    }
}
