package io.nvmf.target.transport;

import io.nvmf.target.queue.TargetLoop;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The connections of one event loop, and the one timer that looks after them all. Owned by that loop. */
public final class ConnectionGroup {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionGroup.class);
    private static final long TICK_MS = 500;

    private final TargetLoop loop;
    private final Set<HostConnection> connections = new LinkedHashSet<>();

    public ConnectionGroup(TargetLoop loop) {
        this.loop = loop;
        loop.loop().scheduleAtFixedRate(this::tick, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
    }

    public void add(HostConnection connection) {
        connections.add(connection);
    }

    public void remove(HostConnection connection) {
        connections.remove(connection);
    }

    public int size() {
        return connections.size();
    }

    /** Ends them, for a reason that goes to the log. */
    public void closeAll(String reason) {
        new ArrayList<>(connections).forEach(connection -> connection.close(reason));
    }

    private void tick() {
        long nowNanos = loop.clock().getAsLong();
        for (HostConnection connection : new ArrayList<>(connections)) {
            try {
                connection.tick(nowNanos);
            } catch (RuntimeException e) {
                // It would end the timer, and with it the deadlines of all.
                LOG.error("a connection could not be looked after", e);
            }
        }
    }
}
