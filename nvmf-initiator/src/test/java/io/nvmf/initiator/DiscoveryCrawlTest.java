package io.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.initiator.controller.ConnectOptions;
import io.nvmf.initiator.discovery.Discovered;
import io.nvmf.initiator.transport.NvmfException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Discovery logs that refer to each other, and what hosts make of entries that cannot be. */
class DiscoveryCrawlTest extends InitiatorTest {
    private static final int REFERRAL = 1;
    private static final int NVM = 2;
    private static final int TCP = 3;

    /** An entry of a log, as it stands there. */
    private record Entry(int transport, int subtype, String address, String service, String nqn) {}

    private final List<Entry> log = new ArrayList<>();
    private final List<Entry> otherLog = new ArrayList<>();
    private ScriptedTarget other;

    @BeforeEach
    void serveLogs() throws IOException {
        other = new ScriptedTarget();
        serve(target, log);
        serve(other, otherLog);
    }

    @AfterEach
    void stopOther() throws IOException {
        other.close();
        assertEquals(List.of(), other.faults);
    }

    private static void serve(ScriptedTarget target, List<Entry> entries) {
        target.script = (connection, command) -> {
            boolean matches = command.opcode() == 0x02 && connection.queueId == 0;
            if (matches) {
                int length = (command.cdw(10) >>> 16) * 4 + 4;
                int offset = (int) command.i64(8 + 48);
                ByteBuffer all = log(entries);
                byte[] part = new byte[length];
                all.get(offset, part);
                target.sendAll(connection, command.commandId(), part);
            }
            return matches;
        };
    }

    private static ByteBuffer log(List<Entry> entries) {
        ByteBuffer log = ByteBuffer.allocate(1024 * (1 + entries.size())).order(ByteOrder.LITTLE_ENDIAN);
        log.putLong(0, 1).putLong(8, entries.size());
        int at = 1024;
        for (Entry entry : entries) {
            log.put(at, (byte) entry.transport()).put(at + 1, (byte) 1).put(at + 2, (byte) entry.subtype());
            log.put(at + 32, entry.service().getBytes(StandardCharsets.US_ASCII));
            log.put(at + 256, entry.nqn().getBytes(StandardCharsets.UTF_8));
            log.put(at + 512, entry.address().getBytes(StandardCharsets.US_ASCII));
            at += 1024;
        }
        return log;
    }

    private static Entry entry(int subtype, InetSocketAddress at, String nqn) {
        return new Entry(TCP, subtype, at.getAddress().getHostAddress(), String.valueOf(at.getPort()), nqn);
    }

    private List<String> found() {
        return host.discoverAll(ConnectOptions.discovery(target.address())).stream()
                .map(options -> options.subsystemNqn() + " " + options.remote().getPort())
                .toList();
    }

    @Test
    void shouldFollowReferralsOnceThoughTheyGoInCircles() {
        String discovery = "nqn.2014-08.org.nvmexpress.discovery";
        log.add(entry(REFERRAL, other.address(), discovery));
        log.add(entry(REFERRAL, target.address(), discovery));
        log.add(entry(NVM, target.address(), "nqn.2024-01.com.example:a"));
        otherLog.add(entry(REFERRAL, target.address(), discovery));
        otherLog.add(entry(REFERRAL, other.address(), "nqn.2024-01.com.example:unique"));
        otherLog.add(entry(NVM, other.address(), "nqn.2024-01.com.example:b"));
        otherLog.add(entry(NVM, target.address(), "nqn.2024-01.com.example:a"));
        assertEquals(
                List.of(
                        "nqn.2024-01.com.example:a " + target.address().getPort(),
                        "nqn.2024-01.com.example:b " + other.address().getPort()),
                found());
        assertEquals(3, target.commands(0, 0x02).size());
        assertEquals(3, other.commands(0, 0x02).size());
    }

    @Test
    void shouldLeaveOutWhatCannotBeConnectedTo() {
        log.add(new Entry(2, NVM, "192.0.2.1", "4420", "nqn.2024-01.com.example:fc"));
        log.add(new Entry(0xFE, NVM, "192.0.2.1", "4420", "nqn.2024-01.com.example:loop"));
        log.add(new Entry(TCP, NVM, "storage.example.com", "4420", "nqn.2024-01.com.example:name"));
        log.add(new Entry(TCP, NVM, "192.0.2.1", "70000", "nqn.2024-01.com.example:port"));
        log.add(new Entry(TCP, NVM, "192.0.2.1", "-1", "nqn.2024-01.com.example:port"));
        log.add(new Entry(TCP, NVM, "192.0.2.1", "", "nqn.2024-01.com.example:port"));
        log.add(new Entry(TCP, NVM, "0.0.0.0", "4420", "nqn.2024-01.com.example:any"));
        log.add(new Entry(TCP, NVM, "224.0.0.1", "4420", "nqn.2024-01.com.example:multicast"));
        log.add(new Entry(TCP, NVM, "192.0.2.1", "4420", ""));
        log.add(new Entry(TCP, NVM, "192.0.2.1", "4420", "x".repeat(256))); // not terminated
        log.add(new Entry(TCP, 9, "192.0.2.1", "4420", "nqn.2024-01.com.example:subtype"));
        log.add(new Entry(TCP, 3, "192.0.2.1", "4420", "nqn.2014-08.org.nvmexpress.discovery"));
        log.add(new Entry(TCP, NVM, "2001:db8::1", "4420", "nqn.2024-01.com.example:good"));
        assertEquals(List.of("nqn.2024-01.com.example:good 4420"), found());
    }

    @Test
    void shouldAskNoMoreThanSoManyControllers() {
        for (int i = 1; i <= 60; i++) { // loopback has as many addresses; nobody listens there
            log.add(new Entry(TCP, REFERRAL, "127.0.1." + i, "1", "nqn.2014-08.org.nvmexpress.discovery"));
        }
        log.add(entry(NVM, target.address(), "nqn.2024-01.com.example:a"));
        assertEquals(1, found().size());
        Discovered discovered =
                host.discoverAll(ConnectOptions.discovery(target.address()), options -> options.connectTimeoutMs(3210));
        assertEquals(60, discovered.unreached().size());
        assertEquals(
                29,
                discovered.unreached().stream()
                        .filter(referral -> referral.reason().equals("there are more than 32 discovery controllers"))
                        .count());
    }

    @Test
    void shouldTellOfWaysThatItCannotGo() {
        log.add(new Entry(2, NVM, "192.0.2.1", "4420", "nqn.2024-01.com.example:fc"));
        log.add(new Entry(2, NVM, "192.0.2.1", "4420", "nqn.2024-01.com.example:fc"));
        log.add(new Entry(TCP, NVM, "192.0.2.1", "70000", "nqn.2024-01.com.example:port"));
        Discovered discovered = host.discoverAll(ConnectOptions.discovery(target.address()), options -> options);
        assertEquals(
                List.of("nqn.2024-01.com.example:fc", "nqn.2024-01.com.example:port"),
                discovered.paths().stream()
                        .map(path -> path.entry().subsystemNqn())
                        .toList());
        assertEquals(List.of(), discovered.connectable());
    }

    @Test
    void shouldFailWhenTheFirstControllerCannotBeAsked() {
        target.refusing = true;
        assertThrows(NvmfException.class, this::found);
    }

    @Test
    void shouldConnectToAllAndTellOfEach() {
        log.add(entry(NVM, other.address(), ScriptedDisk.NQN));
        log.add(new Entry(TCP, NVM, "127.0.1.1", "1", "nqn.2024-01.com.example:away"));
        List<NvmfHost.ConnectResult> results =
                host.connectAll(ConnectOptions.discovery(target.address()), options -> options.ioQueues(2));
        assertEquals(2, results.size());
        assertNull(results.get(0).failure());
        assertEquals(2, results.get(0).controller().ioQueueCount());
        assertTrue(results.get(0).controller().isLive());
        assertNull(results.get(1).controller());
        assertNotNull(results.get(1).failure());
    }
}
