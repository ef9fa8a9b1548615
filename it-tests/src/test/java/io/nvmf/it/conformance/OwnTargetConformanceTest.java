package io.nvmf.it.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import io.nvmf.codec.log.TransportType;
import io.nvmf.conformance.Catalog;
import io.nvmf.conformance.Outcome;
import io.nvmf.conformance.RunOptions;
import io.nvmf.conformance.Runner;
import io.nvmf.conformance.SuiteName.Over;
import io.nvmf.conformance.TargetUnderTest;
import io.nvmf.initiator.raw.Trace;
import io.nvmf.target.NvmfTarget;
import io.nvmf.transport.rdma.Rdma;
import io.nvmf.transport.rdma.RdmaProvider;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every check of the harness against our own target over TCP: none fails, and none is skipped but those named here. */
class OwnTargetConformanceTest {
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
        try (NvmfTarget target = OwnTarget.start(transport(), rdma())) {
            TargetUnderTest tested = OwnTarget.tested(
                    transport(), rdma(), target.listeners().get(0).address(), 5_000);
            Runner runner = new Runner(tested, RunOptions.everything());
            List<Outcome> outcomes = runner.run(Catalog.all(), outcome -> {});
            return outcomes.stream()
                    .map(outcome -> DynamicTest.dynamicTest(outcome.check().id(), () -> judge(outcome)));
        }
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
