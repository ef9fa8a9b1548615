package io.nvmf.target.backend.file;

import io.netty.channel.IoEventLoop;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.backend.BlockDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A block device in a raw image file or on a disk. On event loops with io_uring, reads and writes go through the loop's
 * own ring; on others, through a small pool of threads that the device's channels share.
 *
 * <p>While it is open nobody else opens it through this class: it holds an advisory lock ({@code flock(2)}), and of a disk
 * the kernel's exclusive claim. Needs Linux on x86-64 or aarch64.
 */
public final class FileBlockDevice implements BlockDevice {
    /** What O_DIRECT asks of offsets, lengths and addresses on every disk in use. */
    public static final int DIRECT_ALIGNMENT_BYTES = 4096;

    static final int SIZE_UNIT_BYTES = 512;

    /** Calls of the pool that run at a time. */
    private static final int POOL_THREADS = 8;

    private static final long POOL_IDLE_S = 10;
    private static final long CLOSE_TIMEOUT_S = 10;
    private static final Logger LOG = LoggerFactory.getLogger(FileBlockDevice.class);

    private final LibC libC;
    private final Path path;
    private final FileOptions options;
    private volatile OpenFile file;
    private final Set<Integer> loggedErrors = ConcurrentHashMap.newKeySet();

    /** What the file system turned out not to know. A race between loops only asks it once more. */
    private volatile boolean holesUnsupported;

    private volatile boolean zeroRangeUnsupported;

    private final Object lock = new Object();
    private ThreadPoolExecutor pool;
    private int openChannels;
    private boolean closed;
    private boolean givenBack;

    /** As {@link #open}, with these calls of the system. */
    FileBlockDevice(LibC libC, Path path, FileOptions options) throws IOException {
        this.libC = libC;
        this.path = path;
        this.options = options;
        this.file = OpenFile.open(libC, path, options);
    }

    /**
     * Opens, or creates, a file. Blocks; not for an event loop.
     *
     * @throws IOException with one sentence that names the file, the reason and what to do
     */
    public static FileBlockDevice open(Path path, FileOptions options) throws IOException {
        return new FileBlockDevice(LibC.get(), path, options);
    }

    @Override
    public long sizeBytes() {
        return file.sizeBytes();
    }

    public Path path() {
        return path;
    }

    /** As it was opened. */
    public FileOptions options() {
        return options;
    }

    @Override
    public void resize(long sizeBytes) throws IOException {
        synchronized (lock) {
            if (closed) {
                throw new IOException(description() + " is closed");
            }
            OpenFile before = file;
            OpenFile resized = before.ofLength(libC, path, options, sizeBytes);
            if (resized.sizeBytes() < before.sizeBytes()) {
                file = resized; // before a read that is under way can find the end of the file
            }
            try {
                if (sizeBytes != 0) {
                    resized.cutOrExtend(libC, path);
                }
            } catch (IOException e) {
                file = before;
                throw e;
            }
            file = resized;
        }
    }

    @Override
    public int alignmentBytes() {
        return options.direct() ? DIRECT_ALIGNMENT_BYTES : 1;
    }

    /** Yes: the page cache, or with O_DIRECT the disk's own cache. */
    @Override
    public boolean hasVolatileWriteCache() {
        return true;
    }

    @Override
    public boolean isReadOnly() {
        return options.readOnly();
    }

    @Override
    public boolean usesRing() {
        return true;
    }

    @Override
    public String description() {
        return "file:" + path + (options.direct() ? " (direct)" : "") + (options.readOnly() ? " (read-only)" : "");
    }

    @Override
    public BlockChannel openChannel(IoEventLoop loop) throws IOException {
        synchronized (lock) {
            if (closed) {
                throw new IOException(description() + " is closed");
            }
            if (loop.isShuttingDown()) {
                throw new IOException(description() + " cannot be used from an event loop that is ending");
            }
            boolean ring = IoUringFileChannel.suits(loop);
            BlockChannel channel =
                    ring ? new IoUringFileChannel(this, loop) : new ThreadPoolFileChannel(this, loop, libC, pool());
            openChannels++;
            LOG.debug("{} is reached through {}", description(), ring ? "io_uring" : "a pool of threads");
            return channel;
        }
    }

    /**
     * Waits in bounded time until the channels that were closed have nothing under way, then gives the file back.
     *
     * @throws IOException if something is still under way; the file is then given back when that ends
     */
    @Override
    public void close() throws IOException {
        synchronized (lock) {
            if (closed) {
                return;
            }
            closed = true;
            awaitChannels();
            if (openChannels > 0) {
                throw new IOException(description() + " still has " + openChannels + " channels open after "
                        + CLOSE_TIMEOUT_S + " s: it stays locked until they end");
            }
            giveBack();
        }
    }

    @Override
    public void discard() throws IOException {
        if (file.isNew()) {
            Files.deleteIfExists(path);
        }
        close();
    }

    private void awaitChannels() {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_TIMEOUT_S);
        boolean interrupted = false;
        long leftMs = TimeUnit.SECONDS.toMillis(CLOSE_TIMEOUT_S);
        while (openChannels > 0 && leftMs > 0 && !interrupted) {
            try {
                lock.wait(leftMs);
            } catch (InterruptedException e) {
                interrupted = true;
            }
            leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** A channel is closed and idle. The descriptor outlives every call on it, or a call could hit another file. */
    void onChannelReleased() {
        synchronized (lock) {
            openChannels--;
            lock.notifyAll();
            if (closed && openChannels == 0) {
                giveBack();
            }
        }
    }

    private void giveBack() {
        if (givenBack) {
            return;
        }
        givenBack = true;
        if (pool != null) {
            pool.shutdown();
        }
        libC.close(file.fd());
    }

    private ThreadPoolExecutor pool() {
        if (pool == null) {
            pool = new ThreadPoolExecutor(
                    POOL_THREADS,
                    POOL_THREADS,
                    POOL_IDLE_S,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(),
                    new DefaultThreadFactory("nvmf-file", true));
            pool.allowCoreThreadTimeOut(true);
        }
        return pool;
    }

    boolean isDirect() {
        return options.direct();
    }

    int fd() {
        return file.fd();
    }

    /** The call that makes a range zero, as far as the file system is known to have it. */
    FileCall zeroCall(boolean prefersHole) {
        if (prefersHole && !holesUnsupported) {
            return FileCall.PUNCH_HOLE;
        }
        if (!zeroRangeUnsupported) {
            return FileCall.ZERO_RANGE;
        }
        return holesUnsupported ? FileCall.WRITE_ZEROES : FileCall.PUNCH_HOLE;
    }

    void doWithout(FileCall call) {
        LOG.info("{}: the file system knows no {}, so it is done another way", description(), call);
        if (call == FileCall.PUNCH_HOLE) {
            holesUnsupported = true;
        } else {
            zeroRangeUnsupported = true;
        }
    }

    /** Each kind of failure once for all to see; the command's status tells the host of every one. */
    void logFailure(FileOperation operation, int errno) {
        if (loggedErrors.add(errno)) {
            LOG.warn(
                    "{}: {} of {} bytes at {} failed: {}",
                    description(),
                    operation.call,
                    operation.lengthBytes,
                    operation.offsetBytes,
                    libC.strerror(errno));
        }
    }
}
