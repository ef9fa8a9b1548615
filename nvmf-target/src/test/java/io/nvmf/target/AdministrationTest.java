package io.nvmf.target;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Cqe;
import io.nvmf.codec.Nqn;
import io.nvmf.codec.Opcode;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.feature.AsyncEvent;
import io.nvmf.codec.feature.AsyncEventConfig;
import io.nvmf.codec.feature.FeatureId;
import io.nvmf.codec.feature.FeaturesCommand;
import io.nvmf.codec.identify.Cns;
import io.nvmf.codec.identify.IdentifyCommand;
import io.nvmf.codec.identify.IdentifyNamespace;
import io.nvmf.codec.identify.Nguid;
import io.nvmf.codec.log.DiscoveryLogHeader;
import io.nvmf.codec.log.GetLogPageCommand;
import io.nvmf.codec.log.LogPageId;
import io.nvmf.codec.log.TransportType;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.target.backend.BlockDevice;
import io.nvmf.target.backend.file.FileBlockDevice;
import io.nvmf.target.backend.file.FileOptions;
import io.nvmf.target.backend.memory.MemoryBlockDevice;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.config.ReferralConfig;
import io.nvmf.target.config.SubsystemConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What changes while the target serves, as hosts see it. */
class AdministrationTest extends TargetTestBase {
    private static final String OTHER_NQN = "nqn.2026-01.io.nvmf:other";
    private static final InetSocketAddress ANY = new InetSocketAddress("127.0.0.1", 0);

    @TempDir
    Path directory;

    private Administration administration;

    @BeforeEach
    void startTarget() throws IOException {
        start();
        administration = target.administration();
    }

    private static SubsystemConfig subsystem(String nqn, NamespaceConfig... namespaces) {
        return new SubsystemConfig(nqn, "SN0003", "nvmf4j", true, Set.of(), List.of(namespaces));
    }

    private static int connect(RawHost host, String nqn) throws IOException {
        host.initialize(0, 0);
        return host.execute(RawHost.connectCommand(0, 31, 0), RawHost.connectData(0xFFFF, nqn, RawHost.HOST_NQN))
                .status();
    }

    private int connect(String nqn) throws IOException {
        try (RawHost host = open()) {
            return connect(host, nqn);
        }
    }

    private static Sqe events(long bits) {
        return FeaturesCommand.encodeSet(Sqe.allocate(), FeatureId.ASYNC_EVENT_CONFIG, bits);
    }

    private static Sqe asyncEventRequest() {
        return Sqe.allocate().clear(Opcode.Admin.ASYNC_EVENT_REQUEST);
    }

    private static Sqe read(long nsid, long block) {
        return ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.READ, nsid, block, 1);
    }

    // ---- subsystems

    @Test
    void shouldServeASubsystemThatIsAdded() throws IOException {
        assertEquals(Status.CONNECT_INVALID_PARAMETERS, Status.withoutFlags(connect(OTHER_NQN)));
        administration.createSubsystem(subsystem(OTHER_NQN, namespace(1, 512)));
        assertEquals(
                Status.CONNECT_INVALID_PARAMETERS, Status.withoutFlags(connect(OTHER_NQN)), "it is on no listener yet");
        administration.addListener(
                OTHER_NQN, TransportType.TCP, target.addresses().get(0));
        assertEquals(0, connect(OTHER_NQN));
    }

    @Test
    void shouldEndControllersAndCloseDevicesWhenASubsystemIsDeleted() throws IOException {
        HeldDevice device = new HeldDevice();
        administration.createSubsystem(
                subsystem(OTHER_NQN, new NamespaceConfig(1, device, 512, new UUID(9, 9), new Nguid(9, 9))));
        administration.addListener(
                OTHER_NQN, TransportType.TCP, target.addresses().get(0));
        try (RawHost host = open();
                RawHost stays = admin()) {
            assertEquals(0, connect(host, OTHER_NQN));
            administration.deleteSubsystem(OTHER_NQN);
            assertNull(host.read(), "the connection has ended");
            assertTrue(device.isClosed());
            assertEquals(0, stays.execute(events(0)).status(), "a controller of another subsystem");
        }
        assertEquals(Status.CONNECT_INVALID_PARAMETERS, Status.withoutFlags(connect(OTHER_NQN)));
        assertThrows(IllegalArgumentException.class, () -> administration.deleteSubsystem(OTHER_NQN));
    }

    @Test
    void shouldRefuseNamesThatAreTaken() {
        assertThrows(IllegalArgumentException.class, () -> administration.createSubsystem(subsystem(NQN)));
        assertThrows(IllegalArgumentException.class, () -> administration.createSubsystem(subsystem(Nqn.DISCOVERY)));
        assertEquals(2, administration.subsystems().size());
    }

    @Test
    void shouldRefuseANamespaceWithAnIdentifierThatIsTaken() {
        NamespaceConfig first = namespace(1, 512);
        for (NamespaceConfig taken : List.of(
                new NamespaceConfig(9, first.device(), 512, first.uuid(), new Nguid(9, 9)),
                new NamespaceConfig(9, first.device(), 512, new UUID(9, 9), first.nguid()))) {
            assertThrows(IllegalArgumentException.class, () -> administration.addNamespace(NQN, taken));
        }
        administration.addNamespace(NQN, new NamespaceConfig(9, first.device(), 512, new UUID(9, 9), new Nguid(9, 9)));
    }

    // ---- hosts

    @Test
    void shouldLetInAHostThatIsAddedAndEndItWhenItIsRemoved() throws IOException {
        assertEquals(Status.CONNECT_INVALID_HOST, Status.withoutFlags(connect(PRIVATE_NQN)));
        administration.addHost(PRIVATE_NQN, RawHost.HOST_NQN);
        try (RawHost host = open()) {
            assertEquals(0, connect(host, PRIVATE_NQN));
            administration.removeHost(PRIVATE_NQN, "nqn.2026-01.io.nvmf:friend");
            assertEquals(0, host.setProperty(Property.CC, 0).status(), "another host was meant");
            administration.removeHost(PRIVATE_NQN, RawHost.HOST_NQN);
            assertNull(host.read(), "the connection has ended");
        }
        assertEquals(Status.CONNECT_INVALID_HOST, Status.withoutFlags(connect(PRIVATE_NQN)));
        assertThrows(IllegalArgumentException.class, () -> administration.removeHost(PRIVATE_NQN, RawHost.HOST_NQN));
        assertThrows(IllegalArgumentException.class, () -> administration.addHost(PRIVATE_NQN, "no name"));
    }

    @Test
    void shouldEndHostsThatAreNotNamedWhenNotEveryHostMayConnectAnyMore() throws IOException {
        try (RawHost host = admin()) {
            administration.addHost(NQN, RawHost.HOST_NQN);
            administration.allowAnyHost(NQN, false);
            assertEquals(0, host.execute(events(0)).status());
            administration.removeHost(NQN, RawHost.HOST_NQN);
            assertNull(host.read());
            administration.allowAnyHost(NQN, true);
            assertEquals(0, connect(NQN));
        }
    }

    // ---- listeners

    @Test
    void shouldServeAtAnAddressThatIsAddedAndNoMoreWhenItIsRemoved() throws IOException {
        InetSocketAddress added =
                administration.addListener(NQN, TransportType.TCP, ANY).address();
        assertEquals(2, target.addresses().size());
        try (RawHost host = new RawHost(added);
                RawHost discovery = new RawHost(added);
                RawHost stays = admin()) {
            assertEquals(0, connect(host, NQN));
            assertEquals(0, connect(discovery, Nqn.DISCOVERY));
            administration.removeListener(NQN, TransportType.TCP, added);
            assertNull(host.read());
            assertNull(discovery.read());
            assertEquals(0, stays.execute(events(0)).status(), "it came through another address");
        }
        assertThrows(IOException.class, () -> new RawHost(added).close());
        assertEquals(1, target.addresses().size());
        assertThrows(
                IllegalArgumentException.class, () -> administration.removeListener(NQN, TransportType.TCP, added));
    }

    @Test
    void shouldKeepAnAddressThatAnotherSubsystemUses() throws IOException {
        InetSocketAddress shared = target.addresses().get(0);
        try (RawHost host = admin();
                RawHost discovery = open()) {
            assertEquals(0, connect(discovery, Nqn.DISCOVERY));
            administration.removeListener(NQN, TransportType.TCP, shared);
            assertNull(host.read());
            assertEquals(0, discovery.setProperty(Property.CC, 0).status());
        }
        assertEquals(Status.CONNECT_INVALID_PARAMETERS, Status.withoutFlags(connect(NQN)));
        assertEquals(0, connect(Nqn.DISCOVERY));
        administration.addListener(NQN, TransportType.TCP, shared);
        assertEquals(0, connect(NQN));
    }

    @Test
    void shouldOpenAnAddressForDiscoveryAlone() throws IOException {
        InetSocketAddress added = administration
                .addListener(Nqn.DISCOVERY, TransportType.TCP, ANY)
                .address();
        try (RawHost host = new RawHost(added)) {
            assertEquals(0, connect(host, Nqn.DISCOVERY));
            administration.removeListener(Nqn.DISCOVERY, TransportType.TCP, added);
            assertNull(host.read());
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> administration.removeListener(
                        Nqn.DISCOVERY, TransportType.TCP, target.addresses().get(0)),
                "subsystems are reached there");
    }

    private boolean isListenedOn(InetSocketAddress address) {
        try (Socket socket = new Socket()) {
            socket.connect(address);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void shouldCloseAnAddressWithItsLastSubsystem() throws IOException {
        administration.createSubsystem(subsystem(OTHER_NQN));
        InetSocketAddress own =
                administration.addListener(OTHER_NQN, TransportType.TCP, ANY).address();
        InetSocketAddress shared = target.addresses().get(0);
        administration.addListener(OTHER_NQN, TransportType.TCP, shared);
        try (RawHost discovery = new RawHost(own)) {
            assertEquals(0, connect(discovery, Nqn.DISCOVERY));
            administration.deleteSubsystem(OTHER_NQN);
            assertNull(discovery.read(), "discovery goes with the address");
        }
        assertFalse(isListenedOn(own));
        assertEquals(0, connect(NQN), "another subsystem is reached there");
        assertEquals(List.of(shared), target.addresses());
    }

    @Test
    void shouldKeepAnAddressForDiscoveryWhenItsLastSubsystemHasGone() throws IOException {
        InetSocketAddress added = administration
                .addListener(Nqn.DISCOVERY, TransportType.TCP, ANY)
                .address();
        assertThrows(
                IllegalArgumentException.class,
                () -> administration.addListener(Nqn.DISCOVERY, TransportType.TCP, added),
                "it is that already");
        administration.createSubsystem(subsystem(OTHER_NQN));
        administration.addListener(OTHER_NQN, TransportType.TCP, added);
        assertEquals(
                Set.of(Nqn.DISCOVERY, OTHER_NQN),
                administration.config().listeners().get(1).subsystems());
        administration.deleteSubsystem(OTHER_NQN);
        try (RawHost discovery = new RawHost(added)) {
            assertEquals(0, connect(discovery, Nqn.DISCOVERY));
        }
        administration.createSubsystem(subsystem(OTHER_NQN));
        administration.addListener(OTHER_NQN, TransportType.TCP, added);
        administration.removeListener(Nqn.DISCOVERY, TransportType.TCP, added);
        assertTrue(isListenedOn(added), "a subsystem is reached there");
        administration.removeListener(OTHER_NQN, TransportType.TCP, added);
        assertFalse(isListenedOn(added));
    }

    @Test
    void shouldServeDiscoveryAloneAtAnAddressThatIsForIt() throws IOException {
        InetSocketAddress added = administration
                .addListener(Nqn.DISCOVERY, TransportType.TCP, ANY)
                .address();
        try (RawHost host = new RawHost(added)) {
            assertEquals(Status.CONNECT_INVALID_PARAMETERS, Status.withoutFlags(connect(host, NQN)));
        }
    }

    @Test
    void shouldLeaveEverythingAsItWasWhenAnAddressCannotBeListenedOn() {
        InetSocketAddress taken = target.addresses().get(0);
        InetSocketAddress wildcard = new InetSocketAddress("0.0.0.0", taken.getPort());
        assertThrows(IOException.class, () -> administration.addListener(NQN, TransportType.TCP, wildcard));
        assertThrows(
                IllegalArgumentException.class,
                () -> administration.addListener(NQN, TransportType.TCP, taken),
                "it is there already");
        assertThrows(
                IllegalArgumentException.class, () -> administration.addListener(OTHER_NQN, TransportType.TCP, ANY));
        assertEquals(List.of(taken), target.addresses());
        assertEquals(2, target.listeners().get(0).subsystems().size());
    }

    @Test
    void shouldRefuseAnIoQueueThroughAnotherListenerThanTheAdminQueue() throws IOException {
        InetSocketAddress other =
                administration.addListener(NQN, TransportType.TCP, ANY).address();
        try (RawHost host = open();
                RawHost io = new RawHost(other)) {
            int controllerId = host.connectAdmin(NQN, 0);
            host.enable();
            io.initialize(0, 0);
            Cqe answer = io.execute(
                    RawHost.connectCommand(1, 31, 0), RawHost.connectData(controllerId, NQN, RawHost.HOST_NQN));
            assertEquals(Status.CONNECT_INVALID_PARAMETERS, Status.withoutFlags(answer.status()));
        }
    }

    // ---- namespaces

    private interface Change {
        void make() throws IOException;
    }

    @Test
    void shouldShowAFileInItsNewSizeWithoutReconnect() throws IOException {
        Path file = directory.resolve("image");
        shouldShowItsNewSize(FileBlockDevice.open(file, FileOptions.EXISTING.withSizeBytes(1 << 20)), () -> {
            Files.write(file, new byte[4096]);
            administration.resizeNamespace(NQN, 3, 0);
        });
        assertEquals(4096, Files.size(file));
    }

    @Test
    void shouldShowMemoryInItsNewSizeWithoutReconnect() throws IOException {
        shouldShowItsNewSize(new MemoryBlockDevice(1 << 20), () -> administration.resizeNamespace(NQN, 3, 4096));
    }

    /** @param shrink makes 4096 bytes of namespace 3 */
    private void shouldShowItsNewSize(BlockDevice device, Change shrink) throws IOException {
        administration.addNamespace(NQN, new NamespaceConfig(3, device, 512, new UUID(3, 3), new Nguid(3, 3)));
        try (RawHost host = open();
                RawHost io = open()) {
            int controllerId = host.connectAdmin(NQN, 0);
            host.enable();
            io.initialize(0, 0);
            io.connectIo(controllerId, 1, 31, NQN);
            assertEquals(
                    0,
                    host.execute(events(AsyncEventConfig.NAMESPACE_ATTRIBUTE)).status());
            assertEquals(512, io.executeRead(read(3, 2047), 512).length);

            int event = host.submit(asyncEventRequest());
            administration.resizeNamespace(NQN, 3, 2 << 20);
            assertEquals(
                    AsyncEvent.NAMESPACE_ATTRIBUTE_CHANGED,
                    AsyncEvent.decode(host.completionOf(event).dw0()));
            assertEquals(3, changedNamespaces(host).getInt(0));
            assertEquals(4096, blockCount(host, 3));
            assertEquals(512, io.executeRead(read(3, 4095), 512).length);

            shrink.make();
            assertEquals(8, blockCount(host, 3));
            Sqe beyond = read(3, 8);
            beyond.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 512);
            assertEquals(
                    Status.LBA_OUT_OF_RANGE,
                    Status.withoutFlags(io.execute(beyond).status()));
        }
    }

    /** As for a command that has been checked when its namespace is resized. */
    @Test
    void shouldAnswerAsForTheNewSizeWhenADeviceHasShrunkBeforeItsNamespace() throws IOException {
        MemoryBlockDevice device = new MemoryBlockDevice(1 << 20);
        administration.addNamespace(NQN, new NamespaceConfig(3, device, 512, new UUID(3, 3), new Nguid(3, 3)));
        try (RawHost host = open();
                RawHost io = open()) {
            int controllerId = host.connectAdmin(NQN, 0);
            host.enable();
            io.initialize(0, 0);
            io.connectIo(controllerId, 1, 31, NQN);
            device.resize(4096);
            Sqe beyond = read(3, 8);
            beyond.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 512);
            assertEquals(
                    Status.LBA_OUT_OF_RANGE,
                    Status.withoutFlags(io.execute(beyond).status()));
        }
    }

    @Test
    void shouldLeaveANamespaceAsItWasWhenItCannotBeResized() throws IOException {
        FileBlockDevice device =
                FileBlockDevice.open(directory.resolve("image"), FileOptions.EXISTING.withSizeBytes(1 << 20));
        administration.addNamespace(NQN, new NamespaceConfig(3, device, 4096, new UUID(3, 3), new Nguid(3, 3)));
        assertThrows(IOException.class, () -> administration.resizeNamespace(NQN, 1, 1000), "memory");
        assertThrows(IOException.class, () -> administration.resizeNamespace(NQN, 3, 4097), "no whole blocks");
        assertThrows(IOException.class, () -> administration.resizeNamespace(NQN, 3, 1L << 62), "no room");
        assertThrows(IllegalArgumentException.class, () -> administration.resizeNamespace(NQN, 3, 512), "no block");
        assertThrows(IllegalArgumentException.class, () -> administration.resizeNamespace(NQN, 4, 0));
        try (RawHost host = admin()) {
            assertEquals(256, blockCount(host, 3));
        }
        assertEquals(1 << 20, Files.size(directory.resolve("image")));
    }

    private static ByteBuffer changedNamespaces(RawHost host) throws IOException {
        byte[] page = host.executeRead(
                GetLogPageCommand.encode(Sqe.allocate(), LogPageId.CHANGED_NAMESPACE_LIST, 4096, 0), 4096);
        return ByteBuffer.wrap(page).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static long blockCount(RawHost host, long nsid) throws IOException {
        byte[] page = host.executeRead(IdentifyCommand.encode(Sqe.allocate(), Cns.NAMESPACE, nsid, 0, 0), 4096);
        return IdentifyNamespace.decode(ByteBuffer.wrap(page).order(ByteOrder.LITTLE_ENDIAN), 0)
                .get(IdentifyNamespace.Field.NSZE);
    }

    // ---- discovery

    @Test
    void shouldTellAHostThatStaysWithDiscoveryOfEachVisibleChange() throws IOException {
        try (RawHost host = open()) {
            host.connectAdmin(Nqn.DISCOVERY, 60_000);
            host.enable();
            assertEquals(
                    0,
                    host.execute(events(AsyncEventConfig.DISCOVERY_LOG_CHANGE)).status());
            DiscoveryLogHeader before = discoveryHeader(host);
            int event = host.submit(asyncEventRequest());

            administration.createSubsystem(new SubsystemConfig(OTHER_NQN, "S", "M", false, Set.of(), List.of()));
            administration.addListener(
                    OTHER_NQN, TransportType.TCP, target.addresses().get(0));
            assertEquals(before, discoveryHeader(host), "the host may not know of it");
            administration.addHost(OTHER_NQN, RawHost.HOST_NQN);
            assertEquals(
                    AsyncEvent.DISCOVERY_LOG_CHANGE,
                    AsyncEvent.decode(host.completionOf(event).dw0()));
            DiscoveryLogHeader after = discoveryHeader(host);
            assertEquals(before.generation() + 1, after.generation());
            assertEquals(before.recordCount() + 1, after.recordCount());

            int second = host.submit(asyncEventRequest());
            administration.addReferral(
                    new ReferralConfig(TransportType.TCP, new InetSocketAddress("192.0.2.1", 8009), Nqn.DISCOVERY));
            assertEquals(
                    AsyncEvent.DISCOVERY_LOG_CHANGE,
                    AsyncEvent.decode(host.completionOf(second).dw0()));
            assertEquals(after.generation() + 1, discoveryHeader(host).generation());
        }
    }

    private static DiscoveryLogHeader discoveryHeader(RawHost host) throws IOException {
        byte[] page = host.executeRead(GetLogPageCommand.encode(Sqe.allocate(), LogPageId.DISCOVERY, 1024, 0), 1024);
        return DiscoveryLogHeader.decode(ByteBuffer.wrap(page).order(ByteOrder.LITTLE_ENDIAN), 0);
    }

    @Test
    void shouldRefuseAReferralTwiceAndOneThatIsNotThere() {
        ReferralConfig referral =
                new ReferralConfig(TransportType.TCP, new InetSocketAddress("192.0.2.1", 8009), Nqn.DISCOVERY);
        assertThrows(IllegalArgumentException.class, () -> administration.removeReferral(referral));
        administration.addReferral(referral);
        assertThrows(IllegalArgumentException.class, () -> administration.addReferral(referral));
        administration.removeReferral(referral);
        assertEquals(List.of(), administration.referrals());
    }

    // ---- the end

    @Test
    void shouldListControllersUntilTheyEnd() throws IOException {
        try (RawHost host = open()) {
            int id = host.connectAdmin(NQN, 0);
            assertEquals(id, administration.controllers(NQN).get(0).controllerId());
            assertTrue(administration.controllers(PRIVATE_NQN).isEmpty());
        }
        Awaitility.await().until(() -> administration.controllers(NQN).isEmpty());
    }

    @Test
    void shouldChangeNothingAfterTheTargetIsClosed() {
        target.close();
        assertThrows(IllegalStateException.class, () -> administration.addHost(NQN, RawHost.HOST_NQN));
        assertThrows(IllegalStateException.class, () -> administration.createSubsystem(subsystem(OTHER_NQN)));
        assertThrows(IllegalStateException.class, () -> administration.removeNamespace(NQN, 1));
        assertFalse(administration.subsystems().isEmpty());
    }
}
