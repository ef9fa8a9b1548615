package io.nvmf.tools;

import static io.nvmf.tools.CommonOptions.flag;
import static io.nvmf.tools.CommonOptions.value;
import static io.nvmf.tools.CommonOptions.values;

import io.nvmf.conformance.Catalog;
import io.nvmf.conformance.CheckCase;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.RunOptions;
import io.nvmf.conformance.SkipList;
import io.nvmf.conformance.fuzz.FuzzCase;
import io.nvmf.conformance.suite.FuzzReplaySuite;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.commons.cli.Options;

/** What {@code nvmf conformance} is asked for. */
final class ConformanceOptions {
    static final String LIST = "list";
    static final String SEED = "seed";
    private static final String TEST = "test";
    private static final String LEVEL = "level";
    private static final String SKIP_FILE = "skip-file";
    private static final String TIMEOUT = "timeout";
    private static final String REPLAY = "replay";

    private static final int DEFAULT_TIMEOUT_S = 5;
    private static final int MAX_TIMEOUT_S = 600;
    /** How long a check may take beyond what it says, if answers come in no time; and how many slow answers more. */
    private static final long CHECK_MS = 60_000;

    private static final int ANSWERS_OF_A_CHECK = 4;

    private final Arguments arguments;
    private final List<CheckCase> checks;
    private final RunOptions runOptions;
    private final int answerMs;
    private final long seed;

    private ConformanceOptions(Arguments arguments) throws UsageException {
        this.arguments = arguments;
        Level lowest = level();
        checks = arguments.has(REPLAY) ? replayed() : selected(lowest);
        answerMs = (int) TimeUnit.SECONDS.toMillis(arguments.number(TIMEOUT, DEFAULT_TIMEOUT_S, 1, MAX_TIMEOUT_S));
        seed = arguments.number(SEED, 1L, 0, Long.MAX_VALUE >> 8);
        runOptions = new RunOptions(lowest, allowed(), skipList(), CHECK_MS + (long) ANSWERS_OF_A_CHECK * answerMs);
    }

    /** Reads and checks all but the URI; opens nothing but the skip file. */
    static ConformanceOptions read(Arguments arguments) throws UsageException {
        return new ConformanceOptions(arguments);
    }

    static void addTo(Options options) {
        options.addOption(values(
                        "t",
                        TEST,
                        "FAMILY.SUITE.TEST",
                        "checks to run: a whole name, its first parts, or with * and ? in it (default: all)"))
                .addOption(flag(null, LIST, "show the checks there are; needs no URI"))
                .addOption(value(
                        null,
                        LEVEL,
                        "must|should|robust|all",
                        "only checks of this level and graver ones (default all)"))
                .addOption(flag(null, Needs.DATA_LOSS.option(), "also checks that overwrite blocks of the namespace"))
                .addOption(flag(
                        null,
                        Needs.DISRUPTION.option(),
                        "also checks that may disturb other hosts: resets, reservations, shared settings, load"))
                .addOption(value(null, SEED, "N", "of all that is random (default 1)"))
                .addOption(value(
                        null,
                        REPLAY,
                        "FILE",
                        "play one random case again, from the file that its failure left, instead of any checks"))
                .addOption(value(null, SKIP_FILE, "FILE", "checks not to run, each on a line with the reason after it"))
                .addOption(value(
                        null,
                        TIMEOUT,
                        "SECONDS",
                        "how long an answer of the target may take (default " + DEFAULT_TIMEOUT_S + ")"))
                .addOption(CommonOptions.outputFormat());
        ConformanceFiles.addTo(options);
        HostOptions.addIdentity(options);
    }

    private Level level() throws UsageException {
        String word = arguments.text(LEVEL, "all");
        return switch (word) {
            case "must" -> Level.MUST;
            case "should" -> Level.SHOULD;
            case "robust" -> Level.ROBUST;
            case "all" -> Level.INFO;
            default ->
                throw new UsageException("--" + LEVEL + " '" + word + "' is none of must, should, robust and all");
        };
    }

    private List<CheckCase> replayed() throws UsageException {
        if (!patterns().isEmpty() || isList()) {
            throw new UsageException("--" + REPLAY + " takes the place of --" + TEST + " and --" + LIST);
        }
        if (allowed().size() < Needs.values().length) {
            throw new UsageException("--" + REPLAY + " needs --" + Needs.DATA_LOSS.option() + " and --"
                    + Needs.DISRUPTION.option() + ", as what made the case did");
        }
        try {
            return List.of(FuzzReplaySuite.of(
                    FuzzCase.read(Path.of(arguments.text(REPLAY).orElseThrow()))));
        } catch (IOException | IllegalArgumentException e) {
            throw new UsageException("--" + REPLAY + " " + Failures.sentence(e));
        }
    }

    /** In the order of the catalog, each once. */
    private List<CheckCase> selected(Level lowest) throws UsageException {
        Set<String> named = new TreeSet<>();
        for (String pattern : patterns()) {
            List<CheckCase> matching = Catalog.matching(pattern);
            if (matching.isEmpty()) {
                throw new UsageException("no check is called '" + pattern + "'"
                        + Suggestion.didYouMean(pattern, names(), "see nvmf conformance --list"));
            }
            matching.forEach(check -> named.add(check.id()));
        }
        List<CheckCase> selected = Catalog.all().stream()
                .filter(check -> patterns().isEmpty() || named.contains(check.id()))
                .filter(check -> check.check().level().compareTo(lowest) <= 0)
                .toList();
        if (selected.isEmpty()) {
            throw new UsageException("none of the checks named is of level " + lowest.label() + " or graver");
        }
        return selected;
    }

    /** Of families, suites and checks. */
    private static Set<String> names() {
        Set<String> names = new TreeSet<>();
        for (CheckCase check : Catalog.all()) {
            names.add(check.id());
            names.add(check.suiteId());
            names.add(check.suiteId().replaceFirst("\\..*", ""));
        }
        return names;
    }

    private Set<Needs> allowed() {
        return EnumSet.allOf(Needs.class).stream()
                .filter(needs -> arguments.has(needs.option()))
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Needs.class)));
    }

    private SkipList skipList() throws UsageException {
        Optional<String> file = arguments.text(SKIP_FILE);
        if (file.isEmpty()) {
            return SkipList.EMPTY;
        }
        try {
            return SkipList.read(Path.of(file.get()));
        } catch (IOException | IllegalArgumentException e) {
            throw new UsageException("--" + SKIP_FILE + " " + Failures.sentence(e));
        }
    }

    boolean isList() {
        return arguments.has(LIST);
    }

    /** What the person named; empty for all. */
    List<String> patterns() {
        return new ArrayList<>(arguments.texts(TEST));
    }

    /** Those to run, at least one. */
    List<CheckCase> checks() {
        return checks;
    }

    RunOptions runOptions() {
        return runOptions;
    }

    int answerMs() {
        return answerMs;
    }

    long seed() {
        return seed;
    }
}
