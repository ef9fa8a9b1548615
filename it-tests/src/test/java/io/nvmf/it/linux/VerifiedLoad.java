package io.nvmf.it.linux;

import io.nvmf.initiator.namespace.Namespace;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Writes to the beginning of a namespace on a thread of its own, a few pieces at a time, and reads back what was written,
 * until it is ended. What it wrote it remembers from one load to the next.
 */
final class VerifiedLoad {
    private static final int PLACES = 64;
    private static final int PLACE_BYTES = 128 << 10;
    private static final int AT_ONCE = 8;
    private static final int BLOCK_BYTES = 512;
    private static final int LIMIT_SECONDS = 120;

    private final long seed;
    private final Random random;
    private final byte[] written = new byte[PLACES * PLACE_BYTES];
    private Thread thread;
    private volatile boolean ending;
    private volatile Throwable failure;
    private volatile int pieces;

    VerifiedLoad(long seed) {
        this.seed = seed;
        random = new Random(seed);
    }

    void start(Namespace namespace) {
        ending = false;
        failure = null;
        pieces = 0;
        thread = new Thread(() -> run(namespace), "load");
        thread.setDaemon(true);
        thread.start();
    }

    /** @return how much was done; throws when a request failed or a byte was wrong */
    String end() throws InterruptedException {
        ending = true;
        thread.join();
        if (failure != null) {
            throw new AssertionError("seed " + seed + ", after " + pieces + " pieces: " + failure, failure);
        }
        return pieces + " pieces written and read back\n";
    }

    /** What the namespace begins with, when no load runs. */
    byte[] written() {
        return written;
    }

    private void run(Namespace namespace) {
        try {
            while (!ending) {
                List<Integer> places = places();
                write(namespace, places);
                check(namespace, places);
                pieces += places.size();
            }
            check(namespace, IntStream.range(0, PLACES).boxed().toList());
        } catch (Exception | AssertionError e) {
            failure = e;
        }
    }

    private List<Integer> places() {
        List<Integer> places = IntStream.range(0, PLACES).boxed().collect(Collectors.toList());
        Collections.shuffle(places, random);
        return places.subList(0, AT_ONCE);
    }

    private void write(Namespace namespace, List<Integer> places) throws Exception {
        List<CompletableFuture<Void>> writes = new ArrayList<>();
        for (int place : places) {
            int blocks = PLACE_BYTES / BLOCK_BYTES;
            int from = random.nextInt(blocks);
            byte[] data = new byte[BLOCK_BYTES * (1 + random.nextInt(blocks - from))];
            random.nextBytes(data);
            int at = place * PLACE_BYTES + from * BLOCK_BYTES;
            System.arraycopy(data, 0, written, at, data.length);
            ByteBuffer buffer = ByteBuffer.allocateDirect(data.length).put(data).flip();
            writes.add(namespace.write(at / BLOCK_BYTES, buffer));
        }
        await(writes);
    }

    private void check(Namespace namespace, List<Integer> places) throws Exception {
        for (int place : places) {
            ByteBuffer back = ByteBuffer.allocateDirect(PLACE_BYTES);
            await(List.of(namespace.read((long) place * PLACE_BYTES / BLOCK_BYTES, back)));
            int wrong = back.clear().mismatch(ByteBuffer.wrap(written, place * PLACE_BYTES, PLACE_BYTES));
            if (wrong >= 0) {
                throw new AssertionError("another byte at " + (place * PLACE_BYTES + wrong));
            }
        }
    }

    private static void await(List<CompletableFuture<Void>> requests) throws Exception {
        CompletableFuture.allOf(requests.toArray(new CompletableFuture<?>[0])).get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }
}
