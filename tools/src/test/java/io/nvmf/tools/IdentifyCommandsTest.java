package io.nvmf.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.nvmf.codec.identify.Nguid;
import io.nvmf.codec.log.TransportType;
import io.nvmf.target.backend.memory.MemoryBlockDevice;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.config.SubsystemConfig;
import io.nvmf.target.discovery.Listener;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** discover, list, id-ctrl and id-ns against a running target. */
class IdentifyCommandsTest {
    private static LoopbackTarget target;

    @BeforeAll
    static void startTarget() throws IOException {
        target = LoopbackTarget.serve(4096, new MemoryBlockDevice(1 << 20), new MemoryBlockDevice(3 << 20));
    }

    @AfterAll
    static void stopTarget() {
        target.close();
    }

    @Test
    void shouldDiscoverSubsystemAsText() {
        CommandRun run = succeed("discover", "-t", "tcp", "-a", "127.0.0.1", "-s", target.port());
        assertTrue(run.out().contains("\nDiscovery Log Number of Records "), run::out);
        assertTrue(run.out().contains("\n=====Discovery Log Entry 0======\ntrtype:  tcp\nadrfam:  ipv4\n"), run::out);
        assertTrue(run.out().contains("\nsubnqn:  " + LoopbackTarget.NQN + "\n"), run::out);
        assertTrue(run.out().contains("\ntraddr:  127.0.0.1\n"), run::out);
        assertTrue(run.out().contains("\ntrsvcid: " + target.port() + "\n"), run::out);
    }

    @Test
    void shouldDiscoverSubsystemAsJson() throws JsonProcessingException {
        JsonNode json = json(succeed("discover", "-a", "127.0.0.1", "-s", target.port(), "-o", "json"));
        JsonNode entry = null;
        for (JsonNode record : json.get("records")) {
            if (record.get("subtype").asText().equals("nvme subsystem")) {
                entry = record;
            }
        }
        assertEquals(LoopbackTarget.NQN, entry.get("subnqn").asText());
        assertEquals("tcp", entry.get("trtype").asText());
        assertEquals(1, entry.get("portid").asInt());
        assertEquals(target.port(), entry.get("trsvcid").asText());
        assertEquals("none", entry.get("sectype").asText());
    }

    @Test
    void shouldListNamespacesOfEverySubsystem() throws JsonProcessingException {
        JsonNode devices = json(succeed("list", "-a", "127.0.0.1", "-s", target.port(), "-o", "json"))
                .get("Devices");
        assertEquals(2, devices.size());
        assertEquals(target.uri(2), devices.get(1).get("URI").asText());
        assertEquals(3 << 20, devices.get(1).get("PhysicalSize").asLong());
        assertEquals(768, devices.get(1).get("MaximumLBA").asLong());
        assertEquals(4096, devices.get(1).get("SectorSize").asInt());
        assertEquals("serial1", devices.get(1).get("SerialNumber").asText());
        assertEquals(
                "00000000-0000-0001-0000-000000000002",
                devices.get(1).get("UUID").asText());
    }

    @Test
    void shouldListSubsystemsWhereEachListens() throws IOException {
        try (LoopbackTarget two = LoopbackTarget.serve(512, new MemoryBlockDevice(1 << 20))) {
            String nqn = "nqn.2026-01.com.example:elsewhere";
            two.administration()
                    .createSubsystem(new SubsystemConfig(nqn, "serial2", "model2", true, Set.of(), List.of()));
            NamespaceConfig namespace =
                    new NamespaceConfig(7, new MemoryBlockDevice(1 << 20), 512, new UUID(3, 7), new Nguid(4, 7));
            two.administration().addNamespace(nqn, namespace);
            InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            Listener other = two.administration().addListener(nqn, TransportType.TCP, anyPort);
            List<String> uris = json(succeed("list", "-a", "127.0.0.1", "-s", two.port(), "-o", "json"))
                    .findValuesAsText("URI");
            assertEquals(
                    List.of(
                            two.uri(1),
                            "nvmf-tcp://127.0.0.1:" + other.address().getPort() + "/" + nqn + "/7"),
                    uris);
        }
    }

    @Test
    void shouldListNamespacesOfOneSubsystemAsTable() {
        String[] lines = succeed("list", target.subsystemUri()).out().split("\n");
        assertEquals(3, lines.length);
        assertTrue(lines[0].startsWith("Namespace "), lines[0]);
        assertTrue(
                lines[1].matches("\\Q" + target.uri(1) + "\\E\\s+serial1\\s+model1\\s+\\S+\\s+1 MiB\\s+4096 B"),
                lines[1]);
    }

    @Test
    void shouldShowControllerAsText() {
        CommandRun run = succeed("id-ctrl", "-a", "127.0.0.1", "-s", target.port(), "-n", LoopbackTarget.NQN);
        assertTrue(run.out().startsWith("NVME Identify Controller:\nvid       : 0x"), run::out);
        assertTrue(run.out().contains("\nsn        : serial1\nmn        : model1\nfr        : "), run::out);
        assertTrue(run.out().contains("\nsubnqn    : " + LoopbackTarget.NQN + "\nioccsz    : 516\n"), run::out);
        assertTrue(run.out().contains("\nsqes      : 0x66\ncqes      : 0x44\n"), run::out);
    }

    @Test
    void shouldShowControllerAsJson() throws JsonProcessingException {
        JsonNode json = json(succeed("id-ctrl", target.subsystemUri(), "-o", "json", "-g", "-G"));
        assertEquals("serial1", json.get("sn").asText());
        assertEquals(0x66, json.get("sqes").asInt());
        assertEquals(8, json.get("mdts").asInt());
        assertTrue(json.get("tnvmcap").isIntegralNumber());
    }

    @Test
    void shouldShowNamespaceAsText() {
        CommandRun run = succeed("id-ns", target.uri(2));
        assertTrue(
                run.out().startsWith("NVME Identify Namespace 2:\nnsze      : 0x300\nncap      : 0x300\n"), run::out);
        assertTrue(run.out().contains("\nnguid     : 00000000000000020000000000000002\n"), run::out);
        assertTrue(run.out().contains("\nuuid      : 00000000-0000-0001-0000-000000000002\n"), run::out);
        assertTrue(run.out().matches("(?s).*\nlbaf +\\d+ : ms:0 +lbads:12 rp:\\d \\(in use\\)\n.*"), run::out);
    }

    @Test
    void shouldShowNamespaceAsJson() throws JsonProcessingException {
        JsonNode json = json(succeed(
                "id-ns",
                "-a",
                "127.0.0.1",
                "-s",
                target.port(),
                "-n",
                LoopbackTarget.NQN,
                "--namespace-id",
                "1",
                "-o",
                "json"));
        assertEquals(256, json.get("nsze").asLong());
        assertEquals("00000000-0000-0001-0000-000000000001", json.get("uuid").asText());
        assertEquals(12, json.get("lbafs").get(0).get("ds").asInt());
    }

    @Test
    void shouldAskForNamespaceWhenThereAreSeveral() {
        CommandRun run = CommandRun.of("id-ns", target.subsystemUri());
        assertEquals(1, run.status());
        assertEquals(
                "nvmf id-ns: " + LoopbackTarget.NQN
                        + " has namespaces 1, 2; choose one with --namespace-id, or end the URI with /1\n",
                run.err());
    }

    @Test
    void shouldFailWithOneSentenceWhenNamespaceIsUnknown() {
        assertFails(LoopbackTarget.NQN + " has no namespace 3 for this host; it has 1, 2", "id-ns", target.uri(3));
    }

    @Test
    void shouldFailWithOneSentenceWhenSubsystemIsUnknown() {
        assertFails(
                "the target has no subsystem nqn.2026-01.com.example:no at this address, see nvmf discover (",
                "id-ctrl",
                "-a",
                "127.0.0.1",
                "-s",
                target.port(),
                "-n",
                "nqn.2026-01.com.example:no");
    }

    @Test
    void shouldFailWithOneSentenceWhenNobodyListens() throws IOException {
        int port = Nobody.address().getPort();
        assertFails(
                "Cannot connect to 127.0.0.1:" + port + ": Connection refused; see that the target runs",
                "discover",
                "-a",
                "127.0.0.1",
                "-s",
                Integer.toString(port));
    }

    @Test
    void shouldFailWithOneSentenceWhenHostIsNotAllowed() throws IOException {
        try (LoopbackTarget strict = LoopbackTarget.serveOneHost(512, new MemoryBlockDevice(1 << 20))) {
            assertFails(
                    "this host (nqn.2026-01.com.example:stranger) is not allowed to connect; name another with --hostnqn (",
                    "id-ctrl",
                    strict.subsystemUri(),
                    "-q",
                    "nqn.2026-01.com.example:stranger");
            succeed("id-ctrl", strict.subsystemUri(), "-q", LoopbackTarget.ALLOWED_HOST);
        }
    }

    @Test
    void shouldFailAsUsageWhenTargetIsNotNamed() {
        assertUsage("no target named: give --traddr or a URI", "id-ctrl");
        assertUsage(
                "no subsystem named: give --nqn or a URI with one, or see nvmf discover",
                "id-ctrl",
                "-a",
                "127.0.0.1",
                "-s",
                target.port());
        assertUsage("--traddr cannot stand beside a URI", "id-ns", target.uri(1), "-a", "127.0.0.1");
    }

    @Test
    void shouldFailAsUsageWhenOptionHasBadValue() {
        assertUsage("--transport 'fc' is no transport; there are tcp and rdma", "discover", "-t", "fc", "-a", "::1");
        assertUsage(
                "--hdr-digest cannot stand beside rdma, which has no digests: the network protects what it carries",
                "discover",
                "-t",
                "rdma",
                "-a",
                "::1",
                "-g");
        assertUsage(
                "--data-digest cannot stand beside rdma, which has no digests: the network protects what it carries",
                "id-ctrl",
                "nvmf-rdma://h/nqn.2026-01.com.example:a",
                "-G");
        assertUsage(
                "--connect-timeout '0' is not a number from 1 to 600",
                "list",
                "nvmf-tcp://127.0.0.1",
                "--connect-timeout",
                "0");
        assertUsage(
                "--transport tcp contradicts the URI, which names rdma: leave one of them out",
                "list",
                "-t",
                "tcp",
                "nvmf-rdma://h");
        assertUsage("--trsvcid '70000' is not a number from 1 to 65535", "discover", "-a", "::1", "-s", "70000");
        assertUsage("output format 'xml' is neither normal nor json", "discover", "-a", "::1", "-o", "xml");
        assertUsage(
                "--hostid '1' is no UUID, it looks like 7d444840-9dc0-11d1-b245-5ffdce74fad2",
                "id-ctrl",
                target.subsystemUri(),
                "-I",
                "1");
        assertUsage(
                "--queue-size '5000' is not a number from 2 to 1024", "read", target.uri(1), "-Q", "5000", "-f", "x");
        assertUsage(
                "URI 'http://foo' does not start with nvmf-tcp:// or nvmf-rdma://; write it as nvmf-tcp://HOST:PORT/SUBNQN/NSID or nvmf-rdma://...",
                "id-ctrl",
                "http://foo");
    }

    @Test
    void shouldAskForSubsystemsOfAnyNameForOtherTargetsHaveSuch() {
        assertFails(
                "the target has no subsystem testnqn at this address, see nvmf discover (",
                "id-ctrl",
                "nvmf-tcp://127.0.0.1:" + target.port() + "/testnqn");
    }

    @Test
    void shouldTakeUriWithoutSubsystem() {
        String uri = "nvmf-tcp://127.0.0.1:" + target.port();
        assertTrue(succeed("discover", uri).out().contains("\nsubnqn:  " + LoopbackTarget.NQN + "\n"));
        assertEquals(3, succeed("list", uri).out().lines().count());
        assertUsage("discovery asks a whole target: end the URI after HOST:PORT", "discover", target.subsystemUri());
    }

    @Test
    void shouldFailWithOneSentenceWhenHostIsUnknown() {
        assertFails("host no.such.host.invalid is unknown; give its address", "discover", "-a", "no.such.host.invalid");
    }

    private static CommandRun succeed(String... words) {
        CommandRun run = CommandRun.of(words);
        assertEquals("", run.err());
        assertEquals(0, run.status());
        return run;
    }

    private static void assertFails(String sentencePart, String... words) {
        CommandRun run = CommandRun.of(words);
        assertEquals(1, run.status(), run::err);
        assertEquals("", run.out());
        assertEquals(1, run.err().lines().count(), run::err);
        assertTrue(run.err().startsWith("nvmf " + words[0] + ": "), run::err);
        assertTrue(run.err().contains(sentencePart), run::err);
    }

    private static void assertUsage(String sentence, String... words) {
        CommandRun run = CommandRun.of(words);
        assertEquals("nvmf " + words[0] + ": " + sentence + " (see nvmf help " + words[0] + ")\n", run.err());
        assertEquals(2, run.status());
    }

    private static JsonNode json(CommandRun run) throws JsonProcessingException {
        return new ObjectMapper().readTree(run.out());
    }
}
