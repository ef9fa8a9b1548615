package io.nvmf.tools.perf;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What is done to each namespace.
 *
 * @param readPercent of the requests; a pattern that only reads or writes does not ask for it
 * @param zipfTheta how skewed random addresses are; 0 = all alike
 * @param ratePerSecond requests that are begun each second, whether or not those before are done; 0 = as many as the depth
 *     lets through
 * @param requests after which it ends; 0 = time ends it
 * @param verify whether what is written can be told again and what is read is checked
 * @param seed of addresses, mixes and data
 */
public record Workload(
        Pattern pattern,
        int readPercent,
        SizeMix sizes,
        double zipfTheta,
        long ratePerSecond,
        long requests,
        boolean verify,
        long seed) {

    /** Names as in fio and spdk_nvme_perf. */
    public enum Pattern {
        READ("read", true, false, false),
        WRITE("write", false, true, false),
        RW("rw", true, true, false),
        RANDREAD("randread", true, false, true),
        RANDWRITE("randwrite", false, true, true),
        RANDRW("randrw", true, true, true);

        private final String word;
        final boolean reads;
        final boolean writes;
        final boolean random;

        Pattern(String word, boolean reads, boolean writes, boolean random) {
            this.word = word;
            this.reads = reads;
            this.writes = writes;
            this.random = random;
        }

        /** Empty for a word that is none. */
        public static Optional<Pattern> of(String word) {
            return Arrays.stream(values())
                    .filter(pattern -> pattern.word.equals(word))
                    .findFirst();
        }

        public static String words() {
            return Arrays.stream(values()).map(Pattern::toString).collect(Collectors.joining("|"));
        }

        public boolean isMixed() {
            return reads && writes;
        }

        public boolean isRandom() {
            return random;
        }

        public boolean writes() {
            return writes;
        }

        @Override
        public String toString() {
            return word;
        }
    }
}
