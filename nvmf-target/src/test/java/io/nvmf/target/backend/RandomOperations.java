package io.nvmf.target.backend;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * Random operations at a constant depth, checked against a copy in memory. Ranges that are under way never overlap, since
 * what overlapping ones leave behind is nobody's promise. Runs on the client's loop, each completion beginning the next.
 */
final class RandomOperations {
    private static final int MAX_LENGTH_BYTES = 1 << 20;

    private final LoopClient client;
    private final Random random;
    private final byte[] model;
    private final int unit;
    private final String seedName;
    private final BitSet busy = new BitSet();
    private final CompletableFuture<byte[]> outcome = new CompletableFuture<>();
    private int toBegin;
    private int underWay;

    RandomOperations(LoopClient client, int sizeBytes, int unit, long seed) {
        this.client = client;
        this.random = new Random(seed);
        this.model = new byte[sizeBytes];
        this.unit = unit;
        this.seedName = "seed " + seed;
    }

    /** Returns what the device must hold afterwards. */
    byte[] run(int count, int depth) {
        toBegin = count;
        client.loop.execute(() -> {
            for (int i = 0; i < depth; i++) {
                beginNext();
            }
        });
        return LoopClient.await(outcome);
    }

    private void beginNext() {
        try {
            if (toBegin > 0) {
                toBegin--;
                underWay++;
                begin();
            } else if (underWay == 0) {
                outcome.complete(model);
            }
        } catch (Throwable e) {
            outcome.completeExceptionally(e);
        }
    }

    private void begin() {
        int kind = random.nextInt(20);
        if (kind == 0) {
            client.channel.flush(error -> end(error, 0, 0, () -> {}));
            return;
        }
        int units = 1 + random.nextInt(random.nextInt(10) == 0 ? MAX_LENGTH_BYTES / unit : 16);
        int first = random.nextInt(model.length / unit - units);
        while (busy.nextSetBit(first) >= 0 && busy.nextSetBit(first) < first + units) {
            units = 1 + random.nextInt(16);
            first = random.nextInt(model.length / unit - units);
        }
        busy.set(first, first + units);
        int offset = first * unit;
        int length = units * unit;
        if (kind < 8) {
            read(offset, length);
        } else if (kind < 15) {
            write(offset, length, kind == 8);
        } else {
            zero(kind, offset, length);
        }
    }

    private void read(int offset, int length) {
        ByteBuf buffer = TestBuffers.allocate(length);
        client.channel.read(
                offset,
                buffer,
                0,
                length,
                error -> end(error, offset, length, () -> {
                    byte[] seen = new byte[length];
                    buffer.getBytes(0, seen);
                    buffer.release();
                    assertArrayEquals(Arrays.copyOfRange(model, offset, offset + length), seen, seedName);
                }));
    }

    private void write(int offset, int length, boolean forceUnitAccess) {
        byte[] bytes = TestBuffers.randomBytes(random, length);
        ByteBuf buffer = TestBuffers.allocate(length).setBytes(0, bytes);
        client.channel.write(
                offset,
                buffer,
                0,
                length,
                forceUnitAccess,
                error -> end(error, offset, length, () -> {
                    buffer.release();
                    System.arraycopy(bytes, 0, model, offset, length);
                }));
    }

    private void zero(int kind, int offset, int length) {
        BlockCompletion done =
                error -> end(error, offset, length, () -> Arrays.fill(model, offset, offset + length, (byte) 0));
        if (kind < 17) {
            client.channel.deallocate(offset, length, done);
        } else {
            client.channel.writeZeroes(offset, length, kind == 17, kind == 18, done);
        }
    }

    private void end(BlockError error, int offset, int length, Runnable check) {
        try {
            assertEquals(BlockError.NONE, error, seedName);
            check.run();
        } catch (Throwable e) {
            outcome.completeExceptionally(e);
            return;
        }
        busy.clear(offset / unit, (offset + length) / unit);
        underWay--;
        // Not from within: completions that come at once would nest without end.
        client.loop.execute(this::beginNext);
    }
}
