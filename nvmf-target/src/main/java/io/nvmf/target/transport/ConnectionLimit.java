package io.nvmf.target.transport;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many connections there may be: fewer than the files this process may open, so that accepting never fails for want
 * of one, which would go on at once and without end. Thread safe.
 */
public final class ConnectionLimit {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionLimit.class);
    private static final int MOST = 65_536;
    private static final int LEAST = 16;
    /** For devices, libraries, logs. */
    private static final int OTHER_FILES = 128;

    private final int most;
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicBoolean told = new AtomicBoolean();

    public ConnectionLimit(int most) {
        this.most = most;
    }

    public static ConnectionLimit ofThisProcess() {
        boolean known = ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean;
        if (!known) {
            return new ConnectionLimit(MOST);
        }
        long files =
                ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getMaxFileDescriptorCount();
        return new ConnectionLimit((int) Math.max(LEAST, Math.min(MOST, files - OTHER_FILES)));
    }

    /** Counts one more; false when there are too many, which is logged once until half of them are gone. */
    public boolean tryOpen(String peer) {
        if (open.incrementAndGet() <= most) {
            return true;
        }
        open.decrementAndGet();
        if (told.compareAndSet(false, true)) {
            LOG.warn("{}: connection refused: there are {} already, raise the limit of open files", peer, most);
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
