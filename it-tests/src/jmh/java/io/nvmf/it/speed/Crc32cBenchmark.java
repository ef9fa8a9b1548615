package io.nvmf.it.speed;

import io.nvmf.codec.Crc32c;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Digests of data (direct memory) and of a header (Java's heap). */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class Crc32cBenchmark {
    @Param({"72", "4096", "131072"})
    public int bytes;

    private final Crc32c crc = new Crc32c();
    private byte[] heap;
    private ByteBuffer direct;

    @Setup
    public void fill() {
        heap = new byte[bytes];
        new SplittableRandom(1).nextBytes(heap);
        direct = ByteBuffer.allocateDirect(bytes).put(heap);
    }

    @Benchmark
    public int heap() {
        return crc.of(heap, 0, bytes);
    }

    @Benchmark
    public int direct() {
        crc.reset();
        crc.update(direct.clear());
        return crc.value();
    }
}
