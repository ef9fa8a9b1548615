package io.nvmf.conformance.report;

import static io.nvmf.conformance.report.HostileSuite.TEXT;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyNamespace;
import io.nvmf.codec.log.TransportType;
import io.nvmf.conformance.Facts;
import io.nvmf.conformance.Outcome;
import io.nvmf.conformance.Outcome.Verdict;
import io.nvmf.conformance.RunOptions;
import io.nvmf.conformance.TargetUnderTest;
import io.nvmf.initiator.raw.Trace;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Reports made by hand: an outcome of each verdict, each with hostile text wherever a target or a person could put it. */
final class Reports {
    static final byte[] PDU = {0x12, 0x34, 0x56, 0x78};

    private Reports() {}

    /** A run of all four checks. */
    static Report whole() {
        return of(4, List.of(failed(), passed(), skipped(), deviating()));
    }

    /** A run of {@code selected} checks, of which these have ended. */
    static Report of(int selected, List<Outcome> outcomes) {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 4420);
        TargetUnderTest target =
                new TargetUnderTest(TransportType.TCP, address, TEXT, 1, TEXT, new UUID(1, 2), 5_000, 77);
        return new Report(
                "nvmf4j 1.0",
                TEXT,
                target,
                facts(),
                RunOptions.harmless(),
                List.of(TEXT),
                Instant.parse("2026-01-02T03:04:05Z"),
                1_234,
                selected,
                outcomes);
    }

    static Outcome failed() {
        return new Outcome(
                HostileSuite.check("one"),
                Verdict.FAIL,
                "reason " + TEXT,
                "expected " + TEXT,
                TEXT,
                TEXT,
                trace(),
                12,
                Map.of());
    }

    static Outcome passed() {
        return new Outcome(HostileSuite.check("two"), Verdict.PASS, "", trace(), 3);
    }

    static Outcome skipped() {
        return new Outcome(HostileSuite.check("three"), Verdict.SKIP, "skipped " + TEXT, List.of(), 0);
    }

    static Outcome deviating() {
        return new Outcome(HostileSuite.check("four"), Verdict.WARN, "deviates " + TEXT, trace(), 4);
    }

    private static List<Trace.Line> trace() {
        return List.of(
                new Trace.Line(1_500, "c1", Trace.Direction.SENT, "traced " + TEXT, PDU),
                new Trace.Line(2_500, "c1", Trace.Direction.RECEIVED, "answered", new byte[0]));
    }

    private static Facts facts() {
        ByteBuffer controller = Bytes.allocate(4096);
        controller.put(4, "SN<b>&\u001b".getBytes(StandardCharsets.US_ASCII));
        ByteBuffer namespace = Bytes.allocate(4096);
        namespace.putLong(0, 2048).put(130, (byte) 9);
        return new Facts(
                0x0203_0000_0000_003FL,
                0x20001,
                IdentifyController.decode(controller, 0),
                1,
                IdentifyNamespace.decode(namespace, 0));
    }
}
