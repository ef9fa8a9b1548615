package io.nvmf.target.transport;

import com.sun.management.UnixOperatingSystemMXBean;
import io.netty.util.internal.PlatformDependent;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many connections there may be: fewer than the files this process may open, so that accepting never fails for want
 * of one, which would go on at once and without end; and fewer than there is memory for, should no host take its answers.
 * Thread safe.
 */
public final class ConnectionLimit {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionLimit.class);
    private static final int MOST = 65_536;
    private static final int LEAST = 16;
    /** For devices, libraries, logs. */
    private static final int OTHER_FILES = 128;
    /** Outside the heap, for one whose host takes nothing: a few buffers, one of them to receive. */
    private static final int MEMORY_BYTES = 128 << 10;

    private final int most;
    private final String remedy;
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicBoolean told = new AtomicBoolean();

    /** @param remedy what to do when more are wanted */
    public ConnectionLimit(int most, String remedy) {
        this.most = most;
        this.remedy = remedy;
    }

    public static ConnectionLimit ofThisProcess() {
        long files = ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? system.getMaxFileDescriptorCount() - OTHER_FILES
                : MOST;
        return of(files, PlatformDependent.maxDirectMemory());
    }

    static ConnectionLimit of(long files, long memoryBytes) {
        long byMemory = memoryBytes / MEMORY_BYTES;
        int most = (int) Math.max(LEAST, Math.min(MOST, Math.min(files, byMemory)));
        return new ConnectionLimit(
                most, byMemory < files ? "raise -XX:MaxDirectMemorySize" : "raise the limit of open files");
    }

    /** How many there may be. */
    public int most() {
        return most;
    }

    /** Counts one more; false when there are too many, which is logged once until half of them are gone. */
    public boolean tryOpen(String peer) {
        if (open.incrementAndGet() <= most) {
            return true;
        }
        open.decrementAndGet();
        if (told.compareAndSet(false, true)) {
            LOG.warn("{}: connection refused: there are {} already, {}", peer, most, remedy);
        }
        return false;
    }

    /** One that was counted is gone. */
    public void closed() {
        if (open.decrementAndGet() <= most / 2) {
            told.set(false);
        }
    }
}
