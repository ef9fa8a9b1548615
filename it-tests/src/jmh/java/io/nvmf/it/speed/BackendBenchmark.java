package io.nvmf.it.speed;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.uring.IoUringIoHandler;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.backend.BlockCompletion;
import io.nvmf.target.backend.BlockDevice;
import io.nvmf.target.backend.BlockError;
import io.nvmf.target.backend.file.FileBlockDevice;
import io.nvmf.target.backend.file.FileOptions;
import io.nvmf.target.backend.memory.MemoryBlockDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Submits 32 operations at random places of a device and runs the event loop until all have completed. The file lies in the
 * page cache: what is measured is the way there.
 */
@OperationsPerInvocation(BackendBenchmark.OPERATIONS)
public class BackendBenchmark extends LoopBenchmark implements BlockCompletion {
    static final int OPERATIONS = 32;

    private static final int DEVICE_BYTES = 64 << 20;
    private static final long LOOP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** What stores the blocks, and for a file the way to it. */
    public enum Kind {
        MEMORY(EpollIoHandler::newFactory),
        FILE_IO_URING(IoUringIoHandler::newFactory),
        FILE_THREADS(EpollIoHandler::newFactory);

        private final Supplier<IoHandlerFactory> handlers;

        Kind(Supplier<IoHandlerFactory> handlers) {
            this.handlers = handlers;
        }
    }

    @Param
    public Kind kind;

    @Param({"4096", "131072"})
    public int bytes;

    private final SplittableRandom random = new SplittableRandom(1);
    private final ByteBuf buffer = Unpooled.directBuffer(1 << 17);
    private Path file;
    private BlockDevice device;
    private ManualIoEventLoop loop;
    private BlockChannel channel;
    private int outstanding;

    @Setup
    public void open() throws IOException {
        loop = new ManualIoEventLoop(Thread.currentThread(), kind.handlers.get());
        if (kind == Kind.MEMORY) {
            device = new MemoryBlockDevice(DEVICE_BYTES);
        } else {
            file = Files.createTempDirectory("nvmf-benchmark").resolve("device");
            device = FileBlockDevice.open(file, new FileOptions(DEVICE_BYTES, false, false));
        }
        channel = device.openChannel(loop);
        for (int at = 0; at < DEVICE_BYTES; at += buffer.capacity()) {
            outstanding++;
            channel.write(at, buffer, 0, buffer.capacity(), false, this);
            await();
        }
    }

    @TearDown
    public void close() throws IOException {
        channel.close();
        loop.runNow();
        device.close();
        if (file != null) {
            Files.delete(file);
            Files.delete(file.getParent());
        }
        loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        while (!loop.isTerminated()) {
            loop.runNow();
        }
    }

    @Benchmark
    public void read() {
        outstanding = OPERATIONS;
        for (int i = 0; i < OPERATIONS; i++) {
            channel.read(place(), buffer, 0, bytes, this);
        }
        await();
    }

    @Benchmark
    public void write() {
        outstanding = OPERATIONS;
        for (int i = 0; i < OPERATIONS; i++) {
            channel.write(place(), buffer, 0, bytes, false, this);
        }
        await();
    }

    private long place() {
        return (long) random.nextInt(DEVICE_BYTES / bytes) * bytes;
    }

    private void await() {
        while (outstanding > 0) {
            loop.run(LOOP_NANOS);
        }
    }

    @Override
    public void onComplete(BlockError error) {
        if (error != BlockError.NONE) {
            throw new IllegalStateException(error.toString());
        }
        outstanding--;
    }
}
