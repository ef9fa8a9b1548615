package io.nvmf.it.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import io.nvmf.codec.Nqn;
import io.nvmf.codec.identify.Nguid;
import io.nvmf.codec.log.TransportType;
import io.nvmf.conformance.Catalog;
import io.nvmf.conformance.Outcome;
import io.nvmf.conformance.RunOptions;
import io.nvmf.conformance.Runner;
import io.nvmf.conformance.SuiteName.Over;
import io.nvmf.conformance.TargetUnderTest;
import io.nvmf.initiator.raw.Trace;
import io.nvmf.target.NvmfTarget;
import io.nvmf.target.backend.memory.MemoryBlockDevice;
import io.nvmf.target.config.DiscoveryConfig;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.config.RdmaConfig;
import io.nvmf.target.config.ReferralConfig;
import io.nvmf.target.config.SubsystemConfig;
import io.nvmf.target.config.TargetConfig;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.transport.rdma.Rdma;
import io.nvmf.transport.rdma.RdmaProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every check of the harness against our own target over TCP: none fails, and none is skipped but those named here. */
class OwnTargetConformanceTest {
    static final String NQN = "nqn.2026-01.io.nvmf:conformance";

    /** Checks, or suites, that do not apply to the target as it is here. */
    private static final Map<String, String> SKIPPED = Map.ofEntries(
            Map.entry("FABRICS.DISCONNECT.ConnectAgain", "the target does not offer Disconnect"),
            Map.entry("FABRICS.DISCONNECT.IoQueue", "the target does not offer Disconnect"),
            Map.entry("FABRICS.DISCONNECT.RecordFormatOne", "the target does not offer Disconnect"),
            Map.entry("FABRICS.KEEPALIVE.ExpiresDespiteIo", "keep alive is traffic based: CTRATT.TBKAS is 1"),
            Map.entry("FABRICS.PROPERTY.ReadyTimeouts", "there is no CRTO: CAP.CRWMS and CAP.CRIMS are 0"),
            Map.entry("IO.CMD.CommandsNotOffered", "ONCS offers Compare, Write Uncorrectable and Verify"),
            Map.entry("IO.FUSED.NotOffered", "FUSES offers Compare and Write"),
            Map.entry("SEC.AUTH", "the target does not ask for authentication"),
            Map.entry("TCP.H2CDATA.LongerThanMaxH2cData", "MAXH2CDATA is as long as any Write"));

    /** What the target serves. */
    TransportType transport() {
        return TransportType.TCP;
    }

    /** The way to RDMA devices, of both ends. */
    RdmaProvider rdma() {
        return Rdma.provider();
    }

    /** Checks, or suites, that do not apply over this transport, and why. */
    Map<String, String> skipped() {
        return SKIPPED;
    }

    @TestFactory
    Stream<DynamicTest> shouldPass() throws Exception {
        try (NvmfTarget target = start()) {
            TargetUnderTest tested = new TargetUnderTest(
                    transport(),
                    target.listeners().get(0).address(),
                    NQN,
                    0,
                    "nqn.2014-08.org.nvmexpress:uuid:5c8f1b1e-0000-4000-8000-000000000001",
                    UUID.fromString("5c8f1b1e-0000-4000-8000-000000000001"),
                    5_000,
                    1,
                    rdma());
            Runner runner = new Runner(tested, RunOptions.everything());
            List<Outcome> outcomes = runner.run(Catalog.all(), outcome -> {});
            return outcomes.stream()
                    .map(outcome -> DynamicTest.dynamicTest(outcome.check().id(), () -> judge(outcome)));
        }
    }

    final NvmfTarget start() throws Exception {
        List<NamespaceConfig> namespaces = List.of(namespace(1, 512), namespace(2, 4096));
        SubsystemConfig subsystem = new SubsystemConfig(NQN, "SN0001", "nvmf4j", true, Set.of(), namespaces);
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        InetSocketAddress elsewhere = new InetSocketAddress("192.0.2.1", 8009);
        ReferralConfig referral = new ReferralConfig(TransportType.TCP, elsewhere, Nqn.DISCOVERY);
        TargetConfig config = new TargetConfig(
                List.of(new ListenerConfig(1, transport(), any, Set.of(NQN))),
                List.of(subsystem),
                new DiscoveryConfig("nqn.2026-01.io.nvmf:discovery", List.of(referral)),
                new TargetLimits(128, 16, 8192, 1 << 20, 64L << 20, 2),
                RdmaConfig.DEFAULT);
        return NvmfTarget.start(config, rdma());
    }

    private static NamespaceConfig namespace(long nsid, int blockBytes) {
        return new NamespaceConfig(
                nsid, new MemoryBlockDevice(64L << 20), blockBytes, new UUID(0xABCD, nsid), new Nguid(0x1234, nsid));
    }

    private void judge(Outcome outcome) {
        switch (outcome.verdict()) {
            case PASS -> {}
            case SKIP -> {
                if (!isAboutAnotherTransport(outcome)) {
                    String suite = skipped().get(outcome.check().suiteId());
                    assertEquals(skipped().getOrDefault(outcome.check().id(), suite), outcome.reason(), "skipped");
                }
            }
            case WARN -> fail("our own target deviates: " + outcome.reason());
            case FAIL ->
                fail(outcome.reason() + "; sent last: " + outcome.sent() + "\n"
                        + outcome.trace().stream().map(Trace.Line::toString).collect(Collectors.joining("\n")));
        }
    }

    private boolean isAboutAnotherTransport(Outcome outcome) {
        Over over = outcome.check().name().over();
        return over != Over.ANY && !over.name().equals(transport().name());
    }
}
