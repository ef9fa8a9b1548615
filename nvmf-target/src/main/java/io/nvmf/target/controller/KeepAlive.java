package io.nvmf.target.controller;

import java.util.concurrent.TimeUnit;

/** The keep alive timer of one controller (NVMe Base 2.0 s3.9). Time is an argument. Owned by the admin queue's loop. */
public final class KeepAlive {
    /** KAS, in units of 100 ms: timeouts are rounded up to a multiple of it. */
    public static final int GRANULARITY_100_MS = 10;

    private static final long GRANULARITY_MS = GRANULARITY_100_MS * 100L;

    private long timeoutMs;
    private boolean running;
    private long lastNanos;

    /** KATO in ms, as rounded; 0 when the timer is off. */
    public long timeoutMs() {
        return timeoutMs;
    }

    /** Sets KATO (any 32-bit number of ms; 0 switches the timer off) and starts the timer anew. */
    public void start(long requestedMs, long nowNanos) {
        timeoutMs = (requestedMs + GRANULARITY_MS - 1) / GRANULARITY_MS * GRANULARITY_MS;
        restart(nowNanos);
    }

    /** Starts the timer anew with the timeout it has. */
    public void restart(long nowNanos) {
        running = timeoutMs != 0;
        lastNanos = nowNanos;
    }

    /** Stops the timer; the timeout stays, for {@link #restart}. */
    public void stop() {
        running = false;
    }

    /** A Keep Alive command has arrived. */
    public void touch(long nowNanos) {
        lastNanos = nowNanos;
    }

    public boolean hasExpired(long nowNanos) {
        return running && nowNanos - lastNanos > TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    }
}
