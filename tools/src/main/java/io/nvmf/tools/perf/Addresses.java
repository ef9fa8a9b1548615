package io.nvmf.tools.perf;

import java.util.SplittableRandom;
import org.apache.commons.rng.sampling.distribution.RejectionInversionZipfSampler;
import org.apache.commons.rng.sampling.distribution.SharedStateDiscreteSampler;

/** Where the requests of one stream go. Owned by one event loop. */
abstract class Addresses {
    /** Spreads popular places over the whole range: neighbours in popularity are no neighbours on the medium. */
    private static final long SPREAD = 2_654_435_761L;

    /** Multiples of this, from the first byte of the range. */
    private final int unitBytes;

    private final long rangeBytes;
    private final long units;

    private Addresses(long rangeBytes, int unitBytes) {
        this.rangeBytes = rangeBytes;
        this.unitBytes = unitBytes;
        units = rangeBytes / unitBytes;
    }

    /** A number of units from the begin of the range. */
    abstract long nextUnit(long units, int lengthUnits);

    /** Where {@code lengthBytes} go, as bytes from the begin of the range; they are inside it. */
    final long next(int lengthBytes) {
        long at = nextUnit(units, (lengthBytes + unitBytes - 1) / unitBytes) * unitBytes;
        return Math.min(at, (rangeBytes - lengthBytes) / unitBytes * unitBytes);
    }

    /**
     * Chosen by the workload.
     *
     * @param rangeBytes not less than the largest request
     * @param unitBytes what every request is a multiple of, or the smallest of them
     */
    static Addresses of(Workload workload, long rangeBytes, int unitBytes, SplittableRandom random) {
        if (!workload.pattern().random) {
            return new Sequential(rangeBytes, unitBytes);
        }
        return workload.zipfTheta() == 0
                ? new Uniform(rangeBytes, unitBytes, random)
                : new Zipf(rangeBytes, unitBytes, workload.zipfTheta(), random);
    }

    private static final class Sequential extends Addresses {
        private long next;

        Sequential(long rangeBytes, int unitBytes) {
            super(rangeBytes, unitBytes);
        }

        @Override
        long nextUnit(long units, int lengthUnits) {
            long at = next + lengthUnits > units ? 0 : next;
            next = at + lengthUnits;
            return at;
        }
    }

    private static final class Uniform extends Addresses {
        private final SplittableRandom random;

        Uniform(long rangeBytes, int unitBytes, SplittableRandom random) {
            super(rangeBytes, unitBytes);
            this.random = random;
        }

        @Override
        long nextUnit(long units, int lengthUnits) {
            return random.nextLong(units);
        }
    }

    private static final class Zipf extends Addresses {
        private final SharedStateDiscreteSampler ranks;

        Zipf(long rangeBytes, int unitBytes, double theta, SplittableRandom random) {
            super(rangeBytes, unitBytes);
            int units = (int) Math.min(Integer.MAX_VALUE, rangeBytes / unitBytes);
            ranks = RejectionInversionZipfSampler.of(random::nextLong, units, theta);
        }

        @Override
        long nextUnit(long units, int lengthUnits) {
            return Math.floorMod(ranks.sample() * SPREAD, units);
        }
    }
}
