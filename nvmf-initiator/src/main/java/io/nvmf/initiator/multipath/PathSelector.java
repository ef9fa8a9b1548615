package io.nvmf.initiator.multipath;

import io.netty.channel.IoEventLoop;
import io.nvmf.codec.Status;
import io.nvmf.codec.log.AnaLog;
import io.nvmf.initiator.queue.HostQueue;
import io.nvmf.initiator.queue.IoQueues;
import io.nvmf.initiator.queue.Request;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses a path for each request, and another one for those that fail with their path. Choosing takes no lock and
 * allocates nothing. Any thread.
 *
 * <p><b>What is sent again</b>: requests that failed with a path related status (SCT 3) or with one that passes by itself
 * (Command Interrupted, Transient Transport Error), without Do Not Retry; after the time that the controller asks for
 * (CRD). Where the controller says that it did not carry a command out (the ANA statuses), any; where it may have, only
 * those that are repeatable. They begin anew, all of their data is transferred again, and only when the connection has let
 * go of their buffers. Requests for which there is no path wait; the time they have is counted from their first failure.
 */
final class PathSelector implements IoQueues {
    private static final Logger LOG = LoggerFactory.getLogger(PathSelector.class);

    /** How often paths are looked for when requests wait for one. */
    private static final long TICK_MS = 50;
    /** Statuses that pass by themselves are not waited for any longer. */
    private static final int MAX_TRANSIENT_RETRIES = 5;

    private static final long BUSY_DELAY_MS = 100;

    private final String name;
    private final PathPolicy policy;
    private final long waitNanos;
    private final AtomicInteger turn = new AtomicInteger();
    private final Queue<Parked> parked = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean ticking = new AtomicBoolean();
    private final IoEventLoop loop;
    private volatile List<Path> paths = List.of();

    /**
     * A request that waits.
     *
     * @param failed to be avoided, or null
     * @param dueNanos when it may be sent again
     */
    private record Parked(Request request, Path failed, long dueNanos) {}

    /** @param waitMs how long a request that failed may wait for a path */
    PathSelector(String name, PathPolicy policy, long waitMs, IoEventLoop loop) {
        this.name = name;
        this.policy = policy;
        waitNanos = TimeUnit.MILLISECONDS.toNanos(waitMs);
        this.loop = loop;
    }

    List<Path> paths() {
        return paths;
    }

    void paths(List<Path> paths) {
        this.paths = List.copyOf(paths);
    }

    // ---- Choosing

    /** The best path's, or any: a request that cannot be sent there fails, and waits in {@link #retry}. */
    @Override
    public HostQueue select() {
        List<Path> now = paths;
        Path path = choose(now, null);
        return (path != null ? path : now.get(0)).queue();
    }

    @Override
    public HostQueue get(int index) {
        return select();
    }

    /** An optimized path, else one that is not, else null. @param not to be avoided if there is another, or null */
    private Path choose(List<Path> now, Path not) {
        Path best = null;
        int bestLoad = 0;
        int first = policy == PathPolicy.ROUND_ROBIN ? (turn.getAndIncrement() & Integer.MAX_VALUE) % now.size() : 0;
        for (int i = 0; i < now.size(); i++) {
            Path path = now.get((first + i) % now.size());
            if (!path.isUsable() || path == not) {
                continue;
            }
            int load = policy == PathPolicy.ROUND_ROBIN ? 0 : path.queue().load();
            boolean better = best == null
                    || path.isOptimized() && !best.isOptimized()
                    || path.isOptimized() == best.isOptimized() && load < bestLoad;
            if (better) {
                best = path;
                bestLoad = load;
            }
        }
        return best == null && not != null && not.isUsable() ? not : best;
    }

    // ---- Trying again

    @Override
    public boolean failsOver() {
        return true;
    }

    @Override
    public boolean retry(Request request, HostQueue queue) {
        int status = request.status();
        if (!mayRetry(request, status)) {
            return false;
        }
        List<Path> now = paths;
        Path failed = pathOf(now, queue);
        if (isAna(status) && failed != null) {
            onAnaStatus(failed, status);
        }
        boolean everyPathTried = request.retries() > now.size();
        if (areOver(now) || everyPathTried && isOverdue(request)) {
            return false;
        }
        long delayMs = failed == null ? 0 : failed.retryDelayMs(status);
        if (delayMs == 0 && (everyPathTried || Status.sct(status) != Status.TYPE_PATH)) {
            delayMs = BUSY_DELAY_MS;
        }
        Path other = delayMs == 0 ? choose(now, failed) : null;
        if (other != null) {
            request.retryOn(other.queue());
        } else {
            park(request, failed, delayMs);
        }
        return true;
    }

    private boolean mayRetry(Request request, int status) {
        if (Status.dnr(status) || request.isFused()) {
            return false;
        }
        boolean pathRelated = Status.sct(status) == Status.TYPE_PATH;
        boolean passing = Status.withoutFlags(status) == Status.COMMAND_INTERRUPTED
                || Status.withoutFlags(status) == Status.TRANSIENT_TRANSPORT_ERROR;
        boolean harmless = request.isUnsent() || isAna(status) || request.isIdempotent();
        return harmless && (pathRelated || passing && request.retries() < MAX_TRANSIENT_RETRIES);
    }

    private static boolean isAna(int status) {
        return anaState(status) != 0;
    }

    /** The state that a status tells of, or 0. */
    private static int anaState(int status) {
        return switch (Status.withoutFlags(status)) {
            case Status.ANA_INACCESSIBLE -> AnaLog.STATE_INACCESSIBLE;
            case Status.ANA_PERSISTENT_LOSS -> AnaLog.STATE_PERSISTENT_LOSS;
            case Status.ANA_TRANSITION -> AnaLog.STATE_CHANGE;
            default -> 0;
        };
    }

    /** The path is avoided at once; what its log says then counts. */
    private static void onAnaStatus(Path failed, int status) {
        if (failed.isUsable()) {
            failed.namespace().anaState(anaState(status));
            failed.controller().refreshAnaAsync();
        }
    }

    private static Path pathOf(List<Path> now, HostQueue queue) {
        for (Path path : now) {
            if (path.has(queue)) {
                return path;
            }
        }
        return null;
    }

    private boolean isOverdue(Request request) {
        return request.failedForNanos() > waitNanos;
    }

    // ---- Waiting

    private void park(Request request, Path failed, long delayMs) {
        if (delayMs == 0 && parked.isEmpty()) {
            LOG.warn("{}: requests wait, there is no path", name);
        }
        parked.add(new Parked(request, failed, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(delayMs)));
        if (areOver(paths)) {
            lookNow();
        } else if (ticking.compareAndSet(false, true)) {
            lookLater();
        }
    }

    private static boolean areOver(List<Path> paths) {
        return paths.stream().allMatch(Path::isOver);
    }

    /** A controller has ended: what waits may have nothing to wait for. */
    void onControllerEnded() {
        if (areOver(paths)) {
            lookNow();
        }
    }

    private void lookNow() {
        try {
            loop.execute(this::look);
        } catch (RejectedExecutionException e) {
            look(); // the host is closed, and with it every path over
        }
    }

    private void lookLater() {
        try {
            loop.schedule(this::tick, TICK_MS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            look();
        }
    }

    private void tick() {
        look();
        ticking.set(false);
        if (!parked.isEmpty() && ticking.compareAndSet(false, true)) {
            lookLater();
        }
    }

    /** Sends what can be sent, and gives up what need not wait any longer. Each belongs to whoever takes it from the list. */
    private void look() {
        List<Path> now = paths;
        boolean over = areOver(now);
        for (int left = parked.size(); left > 0; left--) {
            Parked next = parked.poll();
            if (next == null) {
                return;
            }
            Request request = next.request();
            boolean isDue = next.dueNanos() - System.nanoTime() <= 0;
            Path path = over || !isDue ? null : choose(now, next.failed());
            if (path != null) {
                request.retryOn(path.queue());
            } else if (over || isDue && isOverdue(request)) {
                request.giveUp();
            } else {
                parked.add(next);
            }
        }
    }
}
