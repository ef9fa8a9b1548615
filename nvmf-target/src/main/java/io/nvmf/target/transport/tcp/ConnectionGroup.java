package io.nvmf.target.transport.tcp;

import io.nvmf.target.queue.TargetLoop;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** The connections of one event loop, and the one timer that looks after them all. Owned by that loop. */
final class ConnectionGroup {
    private static final long TICK_MS = 500;

    private final TargetLoop loop;
    private final Set<TcpConnection> connections = new LinkedHashSet<>();

    ConnectionGroup(TargetLoop loop) {
        this.loop = loop;
        loop.loop().scheduleAtFixedRate(this::tick, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
    }

    void add(TcpConnection connection) {
        connections.add(connection);
    }

    void remove(TcpConnection connection) {
        connections.remove(connection);
    }

    void closeAll(String reason) {
        new ArrayList<>(connections).forEach(connection -> connection.close(reason));
    }

    private void tick() {
        long nowNanos = loop.clock().getAsLong();
        new ArrayList<>(connections).forEach(connection -> connection.tick(nowNanos));
    }
}
