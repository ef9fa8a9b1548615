package io.nvmf.target.transport;

import java.util.concurrent.TimeUnit;

/** How long a host may take, whatever it speaks, in ns. */
public final class Deadlines {
    /** From the connection to a successful Connect. */
    public static final long CONNECT_NANOS = TimeUnit.SECONDS.toNanos(15);
    /** Without any progress of what is under way. */
    public static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(30);
    /** For all data of one command, either way: however it trickles, it holds a buffer so long and no longer. */
    public static final long TRANSFER_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** What is said of a host that lets {@link #CONNECT_NANOS} pass. */
    public static final String NO_CONNECT = "no Connect within " + TimeUnit.NANOSECONDS.toSeconds(CONNECT_NANOS) + " s";

    private Deadlines() {}
}
