package io.nvmf.it.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.log.TransportType;
import io.nvmf.conformance.Catalog;
import io.nvmf.conformance.Outcome;
import io.nvmf.conformance.Outcome.Verdict;
import io.nvmf.conformance.RunOptions;
import io.nvmf.conformance.Runner;
import io.nvmf.conformance.SkipList;
import io.nvmf.conformance.TargetUnderTest;
import io.nvmf.initiator.raw.Trace;
import io.nvmf.transport.rdma.Rdma;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * All checks of the conformance harness against the Linux kernel's own target in the guest, over TCP: what fails are the
 * checks that docs/CONFORMANCE.md lists and explains, and no others.
 */
@GuestTest
class LinuxConformanceIT {
    private static final int NVMET_PORT = 4420;
    /** An emulated processor takes its time. */
    private static final int ANSWER_MS = 15_000;

    private static final int GUEST_SECONDS = 600;

    /** What the way to the guest, emulated too, does not allow. */
    private static final Map<String, String> LEFT_OUT = Map.of(
            "TCP.IC.Resets", "1000 connections take longer than a minute",
            "DISC.LOG.OwnSubsystem", "the target is reached through a forwarded port, which it does not know");

    private final List<Outcome> outcomes = new ArrayList<>();

    @TestFactory
    Stream<DynamicTest> shouldFindWhatIsKnownOfTheLinuxTarget() throws Exception {
        int port = House.freePort();
        Guest guest =
                new Guest("linux-conformance").withForward(port, NVMET_PORT).withLimit(GUEST_SECONDS);
        Checks checks =
                guest.answering("run", nqn -> run(port, nqn, guest.share())).run("linux-conformance.sh");
        Set<String> explained = explained();
        Stream<DynamicTest> judged = outcomes.stream()
                .filter(outcome -> outcome.verdict() != Verdict.SKIP)
                .map(outcome -> DynamicTest.dynamicTest(
                        outcome.check().id(),
                        () -> assertEquals(
                                explained.contains(outcome.check().id()),
                                outcome.verdict() == Verdict.FAIL,
                                () -> outcome.verdict() + ", against what docs/CONFORMANCE.md says: "
                                        + outcome.reason())));
        return Stream.concat(checks.tests(), judged);
    }

    private String run(int port, String nqn, Path share) throws Exception {
        TargetUnderTest target = new TargetUnderTest(
                TransportType.TCP,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                nqn,
                0,
                "nqn.2014-08.org.nvmexpress:uuid:5c8f1b1e-0000-4000-8000-000000000001",
                UUID.fromString("5c8f1b1e-0000-4000-8000-000000000001"),
                ANSWER_MS,
                1,
                Rdma.provider());
        RunOptions all = RunOptions.everything();
        Runner runner =
                new Runner(target, new RunOptions(all.lowest(), all.allowed(), new SkipList(LEFT_OUT), all.checkMs()));
        outcomes.addAll(runner.run(Catalog.all(), outcome -> {}));
        assertFalse(outcomes.isEmpty());
        write(share.resolve("outcomes.txt"));
        return outcomes.size() + " checks\n";
    }

    /** For a look afterwards. */
    private void write(Path file) throws IOException {
        List<String> lines = new ArrayList<>();
        for (Outcome outcome : outcomes) {
            lines.add(outcome.verdict() + " " + outcome.check().id() + " " + outcome.millis() + " ms "
                    + outcome.reason());
            if (outcome.verdict() == Verdict.FAIL) {
                lines.add("  sent last: " + outcome.sent());
                outcome.trace().stream().map(Trace.Line::toString).forEach(lines::add);
            }
        }
        Files.write(file, lines);
    }

    /** The checks in the table under the heading of the Linux target. */
    private static Set<String> explained() throws IOException {
        String page = Files.readString(House.TOP.resolve("docs/CONFORMANCE.md"));
        Matcher section = Pattern.compile("\n### Linux nvmet.*?(?=\n##|\\z)", Pattern.DOTALL)
                .matcher(page);
        assertTrue(section.find(), "a section about the Linux target");
        Set<String> ids = Pattern.compile("^\\| `([A-Za-z0-9.]+)`", Pattern.MULTILINE)
                .matcher(section.group())
                .results()
                .map(row -> row.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> known = Catalog.all().stream().map(check -> check.id()).collect(Collectors.toSet());
        assertEquals(Set.of(), ids.stream().filter(id -> !known.contains(id)).collect(Collectors.toSet()), "no checks");
        return ids;
    }
}
