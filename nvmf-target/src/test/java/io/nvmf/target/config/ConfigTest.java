package io.nvmf.target.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.identify.Nguid;
import io.nvmf.codec.log.TransportType;
import io.nvmf.target.backend.memory.MemoryBlockDevice;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class ConfigTest {
    private static final String NQN = "nqn.2026-01.io.nvmf:test";

    private static void assertRefused(String expected, Executable maker) {
        String message = assertThrows(IllegalArgumentException.class, maker).getMessage();
        assertTrue(message.contains(expected), message);
    }

    private static NamespaceConfig namespace(long nsid, int blockSize) {
        return new NamespaceConfig(
                nsid, new MemoryBlockDevice(1 << 20), blockSize, new UUID(1, nsid), new Nguid(1, nsid));
    }

    private static SubsystemConfig subsystem(String nqn, String serial, NamespaceConfig... namespaces) {
        return new SubsystemConfig(nqn, serial, "nvmf4j", true, Set.of(), List.of(namespaces));
    }

    private static ListenerConfig listener(int portId, String... nqns) {
        return new ListenerConfig(portId, TransportType.TCP, new InetSocketAddress("127.0.0.1", 0), Set.of(nqns));
    }

    @Test
    void shouldRefuseNamespacesThatCannotBe() {
        assertRefused("namespace id 0 is not between 1 and 1024", () -> namespace(0, 512));
        assertRefused("namespace id 1025", () -> namespace(1025, 512));
        assertRefused("block size 1024 is neither 512 nor 4096", () -> namespace(1, 1024));
    }

    @Test
    void shouldRefuseSubsystemsThatCannotBe() {
        assertRefused("nqn", () -> subsystem("test", "S1"));
        assertRefused("serial number ''", () -> subsystem(NQN, ""));
        assertRefused("serial number", () -> subsystem(NQN, "123456789012345678901"));
        assertRefused("serial number", () -> subsystem(NQN, "sér"));
        assertRefused("two namespaces 1", () -> subsystem(NQN, "S1", namespace(1, 512), namespace(1, 512)));
    }

    private static NamespaceConfig named(long nsid, UUID uuid, Nguid nguid) {
        return new NamespaceConfig(nsid, new MemoryBlockDevice(1 << 20), 512, uuid, nguid);
    }

    @Test
    void shouldRefuseNamespacesThatHostsCannotTellApart() {
        UUID uuid = new UUID(7, 7);
        Nguid nguid = new Nguid(8, 8);
        NamespaceConfig first = named(1, uuid, nguid);
        assertRefused(
                "two namespaces with the UUID " + uuid + ": give namespace 2 another",
                () -> subsystem(NQN, "S1", first, named(2, uuid, new Nguid(8, 9))));
        assertRefused(
                "two namespaces with the NGUID " + nguid + ": give namespace 2 another",
                () -> subsystem(NQN, "S1", first, named(2, new UUID(7, 8), nguid)));
        UUID none = new UUID(0, 0);
        subsystem(NQN, "S1", first, named(2, none, Nguid.NONE), named(3, none, Nguid.NONE));
    }

    @Test
    void shouldRefuseTargetsThatContradictThemselves() {
        SubsystemConfig one = subsystem(NQN, "S1");
        assertRefused(
                "two subsystems are called " + NQN,
                () -> new TargetConfig(List.of(), List.of(one, one), TargetLimits.DEFAULT));
        assertRefused(
                "names the discovery subsystem",
                () -> new TargetConfig(
                        List.of(),
                        List.of(subsystem("nqn.2014-08.org.nvmexpress.discovery", "S1")),
                        TargetLimits.DEFAULT));
        assertRefused(
                "two listeners have port id 1",
                () -> new TargetConfig(
                        List.of(listener(1, NQN), listener(1, NQN)), List.of(one), TargetLimits.DEFAULT));
        assertRefused(
                "unknown subsystem nqn.2026-01.io.nvmf:other",
                () -> new TargetConfig(
                        List.of(listener(1, "nqn.2026-01.io.nvmf:other")), List.of(one), TargetLimits.DEFAULT));
        assertRefused("port id 65536", () -> listener(65536));
    }

    @Test
    void shouldRefuseLimitsThatCannotBeKept() {
        assertRefused("queue depth 1025", () -> new TargetLimits(1025, 1, 0, 4096, 1 << 20, 1));
        assertRefused("number of I/O queues 0", () -> new TargetLimits(128, 0, 0, 4096, 1 << 20, 1));
        assertRefused("no multiple of 16", () -> new TargetLimits(128, 1, 8191, 4096, 1 << 20, 1));
        assertRefused("no power of two", () -> new TargetLimits(128, 1, 0, 12288, 1 << 20, 1));
        assertRefused("less than one maximum transfer", () -> new TargetLimits(128, 1, 0, 1 << 20, 1 << 20, 2));
        TargetLimits limits = new TargetLimits(128, 1, 0, 1 << 20, 8 << 20, 2);
        assertEquals(limits, limits.withBufferMemoryUpTo(16 << 20));
        assertEquals(4 << 20, limits.withBufferMemoryUpTo(4 << 20).bufferMemoryBytes());
        assertRefused("less than one maximum transfer", () -> limits.withBufferMemoryUpTo(1 << 20));
    }
}
