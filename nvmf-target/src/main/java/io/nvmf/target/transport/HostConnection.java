package io.nvmf.target.transport;

/** A host's connection, as the group of its event loop looks after it. Called on that loop. */
public interface HostConnection {
    /** Looks, now and then, whether the host keeps its part; and whether its controller hears from it. */
    void tick(long nowNanos);

    /** Ends it, for a reason that goes to the log. */
    void close(String reason);
}
