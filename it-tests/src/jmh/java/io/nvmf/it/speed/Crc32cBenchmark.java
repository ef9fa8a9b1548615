package io.nvmf.it.speed;

import io.nvmf.codec.Crc32c;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** Digests of data (direct memory) and of a header (Java's heap). */
public class Crc32cBenchmark extends LoopBenchmark {
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
