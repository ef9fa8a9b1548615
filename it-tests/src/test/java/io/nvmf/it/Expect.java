package io.nvmf.it;

import io.nvmf.codec.Status;
import io.nvmf.initiator.queue.NvmeStatusException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/** What the checks of {@link TransportContract} are written with: it throws {@link AssertionError}, and needs no JUnit. */
final class Expect {
    private static final long WAIT_S = 30;

    private Expect() {}

    static ByteBuffer random(Random random, int size) {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        return ByteBuffer.allocateDirect(size).put(bytes).flip();
    }

    /** The same memory as one to four buffers of any lengths. */
    static ByteBuffer[] cut(ByteBuffer data, Random random) {
        int pieces = 1 + random.nextInt(4);
        ByteBuffer[] buffers = new ByteBuffer[pieces];
        int from = 0;
        for (int i = 0; i < pieces; i++) {
            int to = i == pieces - 1 ? data.capacity() : from + random.nextInt(data.capacity() - from + 1);
            buffers[i] = data.slice(from, to - from);
            from = to;
        }
        return buffers;
    }

    static void all(List<CompletableFuture<Void>> futures) {
        CompletableFuture.allOf(futures.toArray(new CompletableFuture<?>[0])).join();
    }

    /** The status that something fails with, without flags. */
    static int statusOf(Runnable failing) {
        try {
            failing.run();
        } catch (CompletionException e) {
            if (e.getCause() instanceof NvmeStatusException failure) {
                return Status.withoutFlags(failure.status());
            }
            throw e;
        }
        return Status.SUCCESS;
    }

    static void check(boolean right, String otherwise) {
        if (!right) {
            throw new AssertionError(otherwise);
        }
    }

    static void equal(Object expected, Object actual, String what) {
        check(Objects.equals(expected, actual), what + ": " + actual + " instead of " + expected);
    }

    static void same(ByteBuffer expected, ByteBuffer actual, String what) {
        int at = expected.mismatch(actual);
        check(at < 0, what + ": other bytes from " + at + " on");
    }

    static void await(Callable<Boolean> condition, String otherwise) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_S);
        while (!condition.call()) {
            check(deadline - System.nanoTime() > 0, otherwise);
            Thread.onSpinWait();
        }
    }
}
