package io.nvmf.target.discovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Nqn;
import io.nvmf.codec.log.DiscoveryLogEntry;
import io.nvmf.codec.log.DiscoveryLogEntry.Field;
import io.nvmf.codec.log.DiscoveryLogHeader;
import io.nvmf.codec.log.TransportType;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.ReferralConfig;
import io.nvmf.target.config.SubsystemConfig;
import io.nvmf.target.subsystem.DiscoveryAudience;
import io.nvmf.target.subsystem.HostAccess;
import io.nvmf.target.subsystem.Subsystem;
import io.nvmf.target.subsystem.SubsystemObserver;
import io.nvmf.target.subsystem.SubsystemPort;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class DiscoveryServiceTest {
    private static final String OWN_NQN = "nqn.2026-01.io.nvmf:discovery";
    private static final String STRANGER = "nqn.2026-01.io.nvmf:x";
    private static final String FRIEND = "nqn.2026-01.io.nvmf:h";
    private static final InetSocketAddress LOCAL = new InetSocketAddress("10.1.2.3", 4420);
    private static final InetSocketAddress LOCAL_IPV6 = new InetSocketAddress("2001:db8::3", 4420);
    private static final InetSocketAddress LOOPBACK = new InetSocketAddress("127.0.0.1", 4420);

    private final Subsystem open = subsystem("nqn.2026-01.io.nvmf:a", true, Set.of());
    private final Subsystem closed = subsystem("nqn.2026-01.io.nvmf:b", false, Set.of(FRIEND));
    private final Subsystem discovery = Subsystem.discovery(OWN_NQN, "discovery", "nvmf4j");
    private final DiscoveryService service = new DiscoveryService(discovery);
    private final Listener asked = listener(9, "192.0.2.9", 8009);

    private static Subsystem subsystem(String nqn, boolean any, Set<String> hosts) {
        return Subsystem.nvm(new SubsystemConfig(nqn, "S", "M", any, hosts, List.of()));
    }

    private Listener listener(int portId, String address, int port, Subsystem... subsystems) {
        List<Subsystem> reached = new ArrayList<>(List.of(discovery));
        reached.addAll(List.of(subsystems));
        InetSocketAddress at = new InetSocketAddress(address, port);
        return new Listener(new ListenerConfig(portId, TransportType.TCP, at, Set.of()), at, reached);
    }

    private void serve(Listener... listeners) {
        service.change(() -> Arrays.stream(listeners).forEach(service::add));
    }

    private ByteBuffer log(String hostNqn, InetSocketAddress local) {
        return service.log(hostNqn, asked, local);
    }

    private long generation(String hostNqn, InetSocketAddress local) {
        return DiscoveryLogHeader.decode(log(hostNqn, local), 0).generation();
    }

    private static long count(ByteBuffer page) {
        return DiscoveryLogHeader.decode(page, 0).recordCount();
    }

    /** Entry 0 is the discovery subsystem itself. */
    private static DiscoveryLogEntry entry(ByteBuffer page, int index) {
        return DiscoveryLogEntry.decode(page, 1024 * (index + 1));
    }

    @Test
    void shouldListEachSubsystemOnEachListenerForThoseWhoMayConnect() {
        serve(listener(1, "192.0.2.1", 4420, open, closed), listener(2, "2001:db8::1", 4421, open));
        ByteBuffer stranger = log(STRANGER, LOCAL);
        assertEquals(3, count(stranger));
        assertEquals("192.0.2.1", entry(stranger, 1).transportAddress());
        assertEquals(1, entry(stranger, 1).get(Field.ADRFAM));
        assertEquals(2, entry(stranger, 1).get(Field.SUBTYPE));
        assertEquals("2001:db8::1", entry(stranger, 2).transportAddress());
        assertEquals(2, entry(stranger, 2).get(Field.ADRFAM));
        assertEquals("4421", entry(stranger, 2).serviceId());
        assertEquals(2, entry(stranger, 2).get(Field.PORTID));
        assertEquals(4, count(log(FRIEND, LOCAL)));
    }

    @Test
    void shouldDescribeItselfWithItsOwnName() {
        DiscoveryLogEntry self = entry(log(STRANGER, LOCAL), 0);
        assertEquals(3, self.get(Field.SUBTYPE));
        assertEquals(OWN_NQN, self.subsystemNqn());
        assertEquals("192.0.2.9", self.transportAddress());
        assertEquals("8009", self.serviceId());
        assertEquals(9, self.get(Field.PORTID));
        assertEquals(2, self.get(Field.EFLAGS), "explicit persistent connections");
        assertEquals(6, self.get(Field.TREQ), "secure channel not required, flow control may be off");
    }

    @Test
    void shouldTellOfReferrals() {
        ReferralConfig referral =
                new ReferralConfig(TransportType.RDMA, new InetSocketAddress("192.0.2.7", 4421), Nqn.DISCOVERY);
        service.change(() -> assertTrue(service.add(referral)));
        ByteBuffer page = log(STRANGER, LOCAL);
        DiscoveryLogEntry entry = entry(page, 1);
        assertEquals(2, count(page));
        assertEquals(1, entry.get(Field.SUBTYPE));
        assertEquals(1, entry.get(Field.TRTYPE));
        assertEquals("192.0.2.7", entry.transportAddress());
        assertEquals("4421", entry.serviceId());
        assertEquals(Nqn.DISCOVERY, entry.subsystemNqn());
        assertEquals(1, generation(STRANGER, LOCAL));
        service.change(() -> assertTrue(service.remove(referral)));
        assertEquals(1, count(log(STRANGER, LOCAL)));
        assertEquals(2, generation(STRANGER, LOCAL));
    }

    @Test
    void shouldNameTheAddressTheHostUsedForAWildcardListener() {
        serve(listener(1, "0.0.0.0", 4420, open), listener(2, "::", 4421, open));
        ByteBuffer ipv4 = log(STRANGER, LOCAL);
        assertEquals("10.1.2.3", entry(ipv4, 1).transportAddress());
        assertEquals("10.1.2.3", entry(ipv4, 2).transportAddress());
        ByteBuffer ipv6 = log(STRANGER, LOCAL_IPV6);
        assertEquals(2, count(ipv6), "the wildcard of IPv4 is not reached over IPv6");
        assertEquals("2001:db8::3", entry(ipv6, 1).transportAddress());
        ByteBuffer local = log(STRANGER, new InetSocketAddress("::1", 4421));
        assertEquals("127.0.0.1", entry(local, 1).transportAddress());
        assertEquals("::1", entry(local, 2).transportAddress());
    }

    @Test
    void shouldTellOfLoopbackAddressesOnThisMachineOnly() {
        serve(listener(1, "127.0.0.1", 4420, open));
        assertEquals(1, count(log(STRANGER, LOCAL)));
        assertEquals(0, generation(STRANGER, LOCAL), "nothing has changed that it sees");
        assertEquals(2, count(log(STRANGER, LOOPBACK)));
        assertEquals(1, generation(STRANGER, LOOPBACK));
    }

    @Test
    void shouldMoveGenerationOnlyForThoseWhoSeeTheChange() {
        Listener first = listener(1, "192.0.2.1", 4420);
        serve(first);
        assertEquals(0, generation(STRANGER, LOCAL), "an address without a subsystem shows nothing");
        service.change(() -> first.add(closed));
        assertEquals(0, generation(STRANGER, LOCAL));
        assertEquals(1, generation(FRIEND, LOCAL));
        service.change(() -> first.add(open));
        assertEquals(1, generation(STRANGER, LOCAL));
        assertEquals(2, generation(FRIEND, LOCAL));
        service.change(() -> closed.access(new HostAccess(true, Set.of(FRIEND))));
        assertEquals(2, generation(STRANGER, LOCAL), "it sees one more");
        assertEquals(2, generation(FRIEND, LOCAL), "it saw it before");
        service.change(() -> closed.access(new HostAccess(false, Set.of())));
        assertEquals(3, generation(STRANGER, LOCAL));
        assertEquals(3, generation(FRIEND, LOCAL));
        service.change(() -> first.remove(first.port(open.nqn())));
        assertEquals(4, generation(STRANGER, LOCAL));
        assertEquals(4, generation(FRIEND, LOCAL), "though nobody names it any more");
    }

    @Test
    void shouldTellOnlyThoseWhoSeeTheChange() {
        List<DiscoveryAudience> told = new ArrayList<>();
        discovery.addObserver(new SubsystemObserver() {
            @Override
            public void onNamespaceAttributeChanged(long nsid) {
                throw new AssertionError();
            }

            @Override
            public void onAnaChanged(SubsystemPort port) {
                throw new AssertionError();
            }

            @Override
            public void onHealthChanged() {
                throw new AssertionError();
            }

            @Override
            public void onReservationNotice(long nsid, int type, Set<UUID> hostIds) {
                throw new AssertionError();
            }

            @Override
            public void onDiscoveryLogChanged(DiscoveryAudience audience) {
                told.add(audience);
            }
        });
        serve(listener(1, "192.0.2.1", 4420));
        assertEquals(0, told.size());
        serve(listener(2, "192.0.2.2", 4420, closed));
        assertEquals(1, told.size());
        assertTrue(told.get(0).sees(FRIEND, LOCAL));
        assertFalse(told.get(0).sees(STRANGER, LOCAL));
        serve(listener(3, "127.0.0.1", 4420, open));
        assertTrue(told.get(1).sees(STRANGER, LOOPBACK));
        assertFalse(told.get(1).sees(STRANGER, LOCAL_IPV6));
    }

    @Test
    void shouldPublishNothingWhenAChangeFails() {
        serve(listener(1, "192.0.2.1", 4420, open));
        assertThrows(
                IllegalArgumentException.class,
                () -> service.change(() -> {
                    throw new IllegalArgumentException("no");
                }));
        assertEquals(1, generation(STRANGER, LOCAL));
        assertEquals(2, count(log(STRANGER, LOCAL)));
    }

    @Test
    void shouldFindOnlyWhatTheListenerServes() {
        Listener listener = listener(1, "192.0.2.1", 4420, open);
        assertSame(open, service.find(listener, open.nqn()).subsystem());
        assertNull(service.find(listener, closed.nqn()));
        assertSame(
                discovery,
                service.find(listener, "nqn.2014-08.org.nvmexpress.discovery").subsystem());
        assertSame(discovery, service.find(listener, OWN_NQN).subsystem());
        listener.remove(listener.port(open.nqn()));
        assertNull(service.find(listener, open.nqn()));
    }
}
