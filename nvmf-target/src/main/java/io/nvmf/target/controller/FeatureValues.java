package io.nvmf.target.controller;

import io.nvmf.codec.feature.HostBehavior;
import io.nvmf.codec.feature.Timestamp;
import java.util.HashMap;
import java.util.Map;

/**
 * What a host has set with Set Features and nobody but Get Features asks for: since there is one power state, no arbitration
 * and so on, it changes nothing. Lost with a controller reset. Owned by the admin queue's event loop.
 */
public final class FeatureValues {
    /** A feature, and which of its values: a namespace, a threshold. */
    private record Key(int featureId, long selector) {}

    private final Map<Key, Long> values = new HashMap<>();
    private byte[] hostBehavior = new byte[HostBehavior.BYTES];
    private long timestampMs;
    private long timestampNanos;
    private int timestampOrigin = Timestamp.ORIGIN_RESET;

    /** @param nowNanos when the timestamp starts from 0 */
    public FeatureValues(long nowNanos) {
        timestampNanos = nowNanos;
    }

    /** The value that was set, or the one that holds before. */
    public long get(int featureId, long selector, long initial) {
        return values.getOrDefault(new Key(featureId, selector), initial);
    }

    public void set(int featureId, long selector, long value) {
        values.put(new Key(featureId, selector), value);
    }

    public byte[] hostBehavior() {
        return hostBehavior.clone();
    }

    public void hostBehavior(byte[] bytes) {
        hostBehavior = bytes.clone();
    }

    /** The time as it is now. */
    public Timestamp timestamp(long nowNanos) {
        long milliseconds = timestampMs + (nowNanos - timestampNanos) / 1_000_000;
        return new Timestamp(milliseconds & Timestamp.MAX_MS, timestampOrigin);
    }

    public void timestamp(long milliseconds, long nowNanos) {
        timestampMs = milliseconds;
        timestampNanos = nowNanos;
        timestampOrigin = Timestamp.ORIGIN_HOST;
    }
}
