package io.nvmf.target.discovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.nvmf.codec.log.DiscoveryLogEntry;
import io.nvmf.codec.log.DiscoveryLogEntry.Field;
import io.nvmf.codec.log.DiscoveryLogHeader;
import io.nvmf.codec.log.TransportType;
import io.nvmf.target.config.SubsystemConfig;
import io.nvmf.target.subsystem.Subsystem;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DiscoveryServiceTest {
    private static final InetSocketAddress LOCAL = new InetSocketAddress("10.1.2.3", 4420);

    private final Subsystem open = subsystem("nqn.2026-01.io.nvmf:a", true, Set.of());
    private final Subsystem closed = subsystem("nqn.2026-01.io.nvmf:b", false, Set.of("nqn.2026-01.io.nvmf:h"));
    private final DiscoveryService service = new DiscoveryService(Subsystem.discovery("discovery", "nvmf4j"));

    private static Subsystem subsystem(String nqn, boolean any, Set<String> hosts) {
        return Subsystem.nvm(new SubsystemConfig(nqn, "S", "M", any, hosts, List.of()));
    }

    private static Listener listener(int portId, String address, int port, Subsystem... subsystems) {
        return new Listener(portId, TransportType.TCP, new InetSocketAddress(address, port), List.of(subsystems));
    }

    private static DiscoveryLogEntry entry(ByteBuffer page, int index) {
        return DiscoveryLogEntry.decode(page, 1024 * (index + 1));
    }

    @Test
    void shouldListEachSubsystemOnEachListenerForThoseWhoMayConnect() {
        service.listeners(
                List.of(listener(1, "192.0.2.1", 4420, open, closed), listener(2, "2001:db8::1", 4421, open)));
        ByteBuffer stranger = service.log("nqn.2026-01.io.nvmf:x", LOCAL);
        assertEquals(2, DiscoveryLogHeader.decode(stranger, 0).recordCount());
        assertEquals("192.0.2.1", entry(stranger, 0).transportAddress());
        assertEquals(1, entry(stranger, 0).get(Field.ADRFAM));
        assertEquals("2001:db8::1", entry(stranger, 1).transportAddress());
        assertEquals(2, entry(stranger, 1).get(Field.ADRFAM));
        assertEquals("4421", entry(stranger, 1).serviceId());
        assertEquals(2, entry(stranger, 1).get(Field.PORTID));
        ByteBuffer friend = service.log("nqn.2026-01.io.nvmf:h", LOCAL);
        assertEquals(3, DiscoveryLogHeader.decode(friend, 0).recordCount());
    }

    @Test
    void shouldNameTheAddressTheHostUsedForAWildcardListener() {
        service.listeners(List.of(listener(1, "0.0.0.0", 4420, open)));
        assertEquals(
                "10.1.2.3",
                entry(service.log("nqn.2026-01.io.nvmf:x", LOCAL), 0).transportAddress());
    }

    @Test
    void shouldMoveGenerationWithEachChange() {
        service.listeners(List.of());
        long before = DiscoveryLogHeader.decode(service.log("h", LOCAL), 0).generation();
        assertEquals(
                before, DiscoveryLogHeader.decode(service.log("h", LOCAL), 0).generation());
        service.listeners(List.of(listener(1, "192.0.2.1", 4420, open)));
        assertEquals(
                before + 1,
                DiscoveryLogHeader.decode(service.log("h", LOCAL), 0).generation());
    }

    @Test
    void shouldFindOnlyWhatTheListenerServes() {
        Listener listener = listener(1, "192.0.2.1", 4420, open);
        assertSame(open, service.find(listener, open.nqn()));
        assertNull(service.find(listener, closed.nqn()));
        assertEquals(
                true,
                service.find(listener, "nqn.2014-08.org.nvmexpress.discovery").isDiscovery());
    }
}
