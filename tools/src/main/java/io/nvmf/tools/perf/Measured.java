package io.nvmf.tools.perf;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The measurements of one command, in their order.
 *
 * @param isComplete whether all that were to be are there, each to its end; else nothing is concluded from them
 */
public record Measured(Mode mode, List<Phase> phases, boolean isComplete) {
    /** The phases of {@link Mode#SCALING}. */
    public static final String ALONE_BEFORE = "alone_before";

    public static final String TOGETHER = "together";
    public static final String ALONE_AFTER = "alone_after";

    /** The knee is where this part of the most requests a second is first reached. */
    static final double KNEE = 0.9;

    /** Above this, times the requests a second of the depth before, the last depth of a ramp says that there is more to come. */
    private static final double RISE = 1.05;

    public Measured {
        phases = List.copyOf(phases);
    }

    /** What the measurements are for. */
    public enum Mode {
        /** One alone. */
        RUN,
        /** One for each depth. */
        RAMP,
        /** The first namespace alone, all together, the first alone. */
        SCALING;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** One measurement. */
    public record Phase(String name, Outcome outcome) {}

    /**
     * What several namespaces have together of what one has alone, in requests a second.
     *
     * @param before and {@code after}: alone
     */
    record Scaling(double before, double together, double after) {
        double alone() {
            return (before + after) / 2;
        }

        double times() {
            return alone() == 0 ? 0 : together / alone();
        }

        /** Between before and after, as a part of their mean. */
        double drift() {
            return alone() == 0 ? 0 : Math.abs(before - after) / alone();
        }
    }

    List<Outcome> outcomes() {
        return phases.stream().map(Phase::outcome).toList();
    }

    /** Of a complete ramp whose depths went so far. */
    Optional<Outcome> knee() {
        if (mode != Mode.RAMP || !isComplete || isRising()) {
            return Optional.empty();
        }
        double most = outcomes().stream()
                .mapToDouble(Outcome::requestsPerSecond)
                .max()
                .orElse(0);
        return outcomes().stream()
                .filter(outcome -> most > 0 && outcome.requestsPerSecond() >= KNEE * most)
                .findFirst();
    }

    /** Whether a complete ramp ends before the requests a second do not grow any more. */
    boolean isRising() {
        int last = phases.size() - 1;
        return mode == Mode.RAMP
                && isComplete
                && last > 0
                && requestsPerSecond(last) > RISE * requestsPerSecond(last - 1);
    }

    private double requestsPerSecond(int phase) {
        return phases.get(phase).outcome().requestsPerSecond();
    }

    /** When all of it was measured. */
    Optional<Scaling> scaling() {
        return mode == Mode.SCALING && isComplete
                ? Optional.of(new Scaling(
                        outcomes().get(0).requestsPerSecond(),
                        outcomes().get(1).requestsPerSecond(),
                        outcomes().get(2).requestsPerSecond()))
                : Optional.empty();
    }

    /** Whether verification has told little. */
    public boolean isMostlyUnchecked() {
        long unchecked = outcomes().stream().mapToLong(Outcome::uncheckedBlocks).sum();
        return unchecked > outcomes().stream().mapToLong(Outcome::checkedBlocks).sum();
    }
}
