package io.nvmf.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.nvmf.codec.Nqn;
import io.nvmf.codec.log.TransportType;
import io.nvmf.target.backend.memory.MemoryBlockDevice;
import io.nvmf.target.config.ReferralConfig;
import io.nvmf.target.discovery.Listener;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

class SubsystemsCommandTest {
    @Test
    void shouldListSubsystemsWithTheirPaths() throws IOException {
        try (LoopbackTarget target = LoopbackTarget.serve(512, new MemoryBlockDevice(1 << 20))) {
            CommandRun run = CommandRun.of("list-subsys", "-a", "127.0.0.1", "-s", target.port());
            assertEquals("", run.err());
            assertEquals(
                    List.of("NQN=" + LoopbackTarget.NQN, " +- tcp traddr=127.0.0.1,trsvcid=" + target.port()),
                    run.out().lines().toList());
            JsonNode json = new ObjectMapper()
                    .readTree(CommandRun.of("list-subsys", "nvmf-tcp://127.0.0.1:" + target.port(), "-o", "json")
                            .out());
            JsonNode subsystem = json.get(0).get("Subsystems").get(0);
            assertTrue(json.get(0).get("HostNQN").asText().startsWith("nqn."));
            assertEquals(LoopbackTarget.NQN, subsystem.get("NQN").asText());
            assertEquals(
                    "{\"Transport\":\"tcp\",\"Address\":\"traddr=127.0.0.1,trsvcid=" + target.port() + "\"}",
                    subsystem.get("Paths").get(0).toString());
        }
    }

    @Test
    void shouldConnectByEveryPath() throws IOException {
        try (LoopbackTarget target = LoopbackTarget.serve(512, new MemoryBlockDevice(1 << 20))) {
            CommandRun run = CommandRun.of("connect-all", "-a", "127.0.0.1", "-s", target.port(), "-i", "2");
            assertEquals("", run.err());
            assertEquals(0, run.status());
            assertEquals(
                    " +- tcp traddr=127.0.0.1,trsvcid=" + target.port() + " live",
                    run.out().lines().toList().get(1));
        }
    }

    @Test
    void shouldSayWhichPathIsNotThere() throws IOException {
        try (LoopbackTarget target = LoopbackTarget.serve(512, new MemoryBlockDevice(1 << 20))) {
            // The command has no RDMA.
            Listener rdma = target.administration()
                    .addListener(
                            LoopbackTarget.NQN,
                            TransportType.RDMA,
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            CommandRun run = CommandRun.of("connect-all", "-a", "127.0.0.1", "-s", target.port());
            assertEquals(1, run.status());
            assertEquals(
                    List.of(
                            "NQN=" + LoopbackTarget.NQN,
                            " +- tcp traddr=127.0.0.1,trsvcid=" + target.port() + " live",
                            " +- rdma traddr=127.0.0.1,trsvcid="
                                    + rdma.address().getPort() + " failed: "),
                    run.out()
                            .lines()
                            .map(line -> line.replaceFirst("failed: .+", "failed: "))
                            .toList());
            assertTrue(run.out().contains(MissingRdma.CAUSE), run::out);
        }
    }

    @Test
    void shouldFollowReferralsOnceEach() throws IOException {
        try (LoopbackTarget one = LoopbackTarget.serve(512, new MemoryBlockDevice(1 << 20));
                LoopbackTarget other = LoopbackTarget.serve(512, new MemoryBlockDevice(1 << 20))) {
            InetSocketAddress nobody = Nobody.address();
            refer(one, other.address());
            refer(other, one.address());
            assertEquals(
                    List.of(
                            "NQN=" + LoopbackTarget.NQN,
                            " +- tcp traddr=127.0.0.1,trsvcid=" + one.port(),
                            " +- tcp traddr=127.0.0.1,trsvcid=" + other.port()),
                    CommandRun.of("list-subsys", "-a", "127.0.0.1", "-s", one.port())
                            .out()
                            .lines()
                            .toList());
            refer(other, nobody);
            CommandRun run = CommandRun.of("list-subsys", "-a", "127.0.0.1", "-s", one.port());
            assertEquals(1, run.status());
            assertEquals(3, run.out().lines().count());
            assertTrue(
                    run.err().contains("the referral to tcp://127.0.0.1:" + nobody.getPort() + " leads nowhere: "),
                    run::err);
        }
    }

    private static void refer(LoopbackTarget from, InetSocketAddress to) {
        from.administration().addReferral(new ReferralConfig(TransportType.TCP, to, Nqn.DISCOVERY));
    }

    @Test
    void shouldRefuseASubsystem() {
        CommandRun run = CommandRun.of("connect-all", "nvmf-tcp://127.0.0.1/nqn.2026-01.com.example:a");
        assertEquals(2, run.status());
        assertEquals(
                "nvmf connect-all: connect-all asks a whole target: end the URI after HOST:PORT (see nvmf help"
                        + " connect-all)" + System.lineSeparator(),
                run.err());
    }
}
