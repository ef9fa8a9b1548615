package io.nvmf.initiator.controller;

import java.util.random.RandomGenerator;

/** How long to wait before each attempt: twice as long each time up to a most, a quarter more or less by chance. */
final class BackOff {
    private final int firstMs;
    private final int mostMs;
    private final RandomGenerator random;
    private long nextMs;

    BackOff(int firstMs, int mostMs, RandomGenerator random) {
        this.firstMs = firstMs;
        this.mostMs = mostMs;
        this.random = random;
        nextMs = firstMs;
    }

    void reset() {
        nextMs = firstMs;
    }

    /** Milliseconds before the next attempt. */
    long next() {
        long delayMs = nextMs;
        nextMs = Math.min(2 * delayMs, mostMs);
        return Math.min(delayMs * 3 / 4 + random.nextLong(delayMs / 2 + 1), mostMs);
    }
}
