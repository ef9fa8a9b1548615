package io.nvmf.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Nqn;
import io.nvmf.codec.log.TransportType;
import io.nvmf.target.config.RdmaConfig;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.tools.config.SubsystemPlan;
import io.nvmf.tools.config.TargetPlan;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.commons.cli.Options;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TargetFlagsTest {
    @Test
    void shouldServeOneSubsystemToEveryHostWhenLittleIsSaid() throws CommandException {
        TargetPlan plan = read("--namespace memory:1m");
        SubsystemPlan subsystem = plan.subsystems().get(0);
        assertEquals("nqn.2026-01.io.nvmf:target", subsystem.nqn());
        assertTrue(subsystem.allowAnyHost());
        assertEquals(1, subsystem.namespaces().get(0).nsid());
        assertEquals(4420, plan.listeners().get(0).address().getPort());
        assertTrue(plan.listeners().get(0).address().getAddress().isLoopbackAddress());
        assertEquals(Set.of(subsystem.nqn()), plan.listeners().get(0).subsystems());
        assertEquals(TargetLimits.DEFAULT, plan.limits());
    }

    @Test
    void shouldNumberNamespacesAndListenersInTheirOrder() throws CommandException {
        TargetPlan plan = read("--namespace memory:1m --namespace file:/x,size=1m"
                + " --listen tcp://127.0.0.1:0 --listen tcp://[::1]:4421");
        assertEquals(2, plan.subsystems().get(0).namespaces().get(1).nsid());
        assertEquals(
                List.of(1, 2), plan.listeners().stream().map(l -> l.portId()).toList());
        assertEquals(0, plan.listeners().get(0).address().getPort());
        assertEquals(4421, plan.listeners().get(1).address().getPort());
    }

    @Test
    void shouldListenByTcpAndRdmaTogether() throws CommandException {
        TargetPlan plan = read("--namespace memory:1m --listen tcp://127.0.0.1 --listen rdma://192.0.2.1:4421"
                + " --listen rdma://[2001:db8::1]");
        assertEquals(
                List.of(TransportType.TCP, TransportType.RDMA, TransportType.RDMA),
                plan.listeners().stream().map(l -> l.transport()).toList());
        assertEquals(
                List.of(4420, 4421, 4420),
                plan.listeners().stream().map(l -> l.address().getPort()).toList());
        assertEquals(RdmaConfig.DEFAULT, plan.rdma());
    }

    @Test
    void shouldListenForDiscoveryAlone() throws CommandException {
        TargetPlan plan = read("--namespace memory:1m --discovery tcp://127.0.0.1");
        assertEquals(2, plan.listeners().size(), "the default of --listen is there as well");
        assertEquals(8009, plan.listeners().get(1).address().getPort());
        assertEquals(Set.of(Nqn.DISCOVERY), plan.listeners().get(1).subsystems());
    }

    @Test
    void shouldReadWhetherToPoll() throws CommandException {
        assertTrue(read("--namespace memory:1m --poll").limits().poll());
        assertFalse(read("--namespace memory:1m").limits().poll());
    }

    @Test
    void shouldReadWhatHoldsForRdmaAlone() throws CommandException {
        assertEquals(
                new RdmaConfig(16384, 32 << 20),
                read("--namespace memory:1m --rdma-in-capsule 16k --rdma-receive-memory 32m")
                        .rdma());
    }

    @Test
    void shouldWarnOnceWhenWhatHoldsForRdmaAloneHasNoListener() throws CommandException {
        assertEquals(
                List.of(
                        "--rdma-in-capsule, --rdma-receive-memory: without effect, for no --listen rdma://ADDRESS:PORT is there"),
                read("--namespace memory:1m --rdma-receive-memory 32m --rdma-in-capsule 16k")
                        .warnings());
        assertEquals(
                List.of(),
                read("--namespace memory:1m --poll --listen rdma://127.0.0.1").warnings());
    }

    @Test
    void shouldLetInOnlyNamedHosts() throws CommandException {
        SubsystemPlan subsystem =
                read("--namespace memory:1m --host nqn.2026-01.com.example:a --host nqn.2026-01.com.example:b")
                        .subsystems()
                        .get(0);
        assertEquals(false, subsystem.allowAnyHost());
        assertEquals(Set.of("nqn.2026-01.com.example:a", "nqn.2026-01.com.example:b"), subsystem.allowedHosts());
    }

    @Test
    void shouldReadLimitsWithSuffixes() throws CommandException {
        TargetPlan plan = read("--namespace memory:1m --in-capsule-data-size 16k --max-io-size 2m --queue-depth 128"
                + " --io-queues 4 --threads 3 --buffer-memory 64m");
        assertEquals(new TargetLimits(128, 4, 16384, 2 << 20, 64 << 20, 3), plan.limits());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--nqn disk | --nqn: the NQN 'disk' does not start with nqn.yyyy-mm. and a domain, as in nqn.2024-01.com.example:disk1",
                "--host h1 | --host: the NQN 'h1' does not start with nqn.yyyy-mm. and a domain, as in nqn.2024-01.com.example:disk1",
                "--listen 0.0.0.0:4420 | --listen '0.0.0.0:4420' does not start with tcp:// or rdma://; write it as tcp://ADDRESS:PORT or rdma://ADDRESS:PORT",
                "--listen tcp://1.2.3.4:99999 | port 99999 of '1.2.3.4:99999' is not between 0 and 65535",
                "--listen tcp://::1:4420 | address '::1:4420' is not HOST:PORT, with an IPv6 address in brackets",
                "--serial 123456789012345678901 | --serial: serial number '123456789012345678901' is not 1 to 20 printable ASCII characters",
                "--max-io-size 3m | --max-io-size 3m: maximum transfer size 3145728 is no power of two",
                "--in-capsule-data-size 100 | --in-capsule-data-size 100: in-capsule data size 100 is no multiple of 16",
                "--queue-depth 5 | --queue-depth 5: queue depth 5 is not between 16 and 1024",
                "--threads x | --threads 'x' is not a number from 0 to 2147483647",
                "--namespace memory:16x | size of --namespace memory:16x '16x' is not a number of bytes, write it as 4096, 512k, 10m or 2g",
                "--queue-depth x | --queue-depth 'x' is not a number from 0 to 2147483647",
                "--max-io-size 10x | --max-io-size '10x' is not a number of bytes, write it as 4096, 512k, 10m or 2g",
                "--listen fc://h | --listen 'fc://h' does not start with tcp:// or rdma://; write it as tcp://ADDRESS:PORT or rdma://ADDRESS:PORT",
                "--rdma-in-capsule 100 | --rdma-in-capsule 100: in-capsule data size 100 is no multiple of 16",
                "--rdma-in-capsule 256k | --rdma-in-capsule 256k: in-capsule data size 262144 is not between 0 and 131072",
                "--rdma-receive-memory 1k | --rdma-receive-memory 1k: receive memory of 1024 bytes is less than 1048576",
                "--stats -1 | --stats '-1' is not a number from 0 to 86400",
                "--stats 1 -o xml | output format 'xml' is neither normal nor json",
                "--threads 2 --buffer-memory 1m | --buffer-memory 1m: buffer memory of 1048576 bytes is less than one maximum transfer for each of 2 event loops",
            })
    void shouldFailAsUsageWhenAValueCannotBe(String flags, String sentence) {
        CommandRun run = CommandRun.of(("target --namespace memory:1m " + flags).split(" "));
        assertEquals("nvmf target: " + sentence + " (see nvmf help target)" + System.lineSeparator(), run.err());
        assertEquals(2, run.status());
    }

    @Test
    void shouldFailWhenTheWorldHasNoSuchAddress() {
        CommandRun run = CommandRun.of("target", "--namespace", "memory:1m", "--listen", "tcp://no.such.host.invalid");
        assertEquals(
                "nvmf target: --listen 'tcp://no.such.host.invalid' names the unknown host no.such.host.invalid;"
                        + " give an address" + System.lineSeparator(),
                run.err());
        assertEquals(1, run.status());
    }

    @Test
    void shouldWarnWhenMemoryIsLargerThanTheHeapLetsItBecome() throws CommandException {
        TargetPlan plan = read("--namespace memory:2g --namespace memory:1g --namespace file:/x,size=9g");
        assertEquals(Optional.empty(), plan.memoryWarning(4L << 30));
        assertEquals(
                Optional.of("the namespaces in memory have 3 GiB, but the Java heap holds at most 1.5 GiB of their data"
                        + " and writes beyond that fail; set a larger heap, as with NVMF_JAVA_OPTS=-Xmx4g"),
                plan.memoryWarning(2L << 30));
    }

    @Test
    void shouldRefuseToServeNothing() {
        assertThrows(UsageException.class, () -> read("--nqn nqn.2026-01.com.example:a"));
    }

    private static TargetPlan read(String flags) throws CommandException {
        Options options = new Options();
        TargetFlags.addTo(options);
        return TargetFlags.read(Arguments.parse(options, List.of(flags.split(" "))), false);
    }
}
