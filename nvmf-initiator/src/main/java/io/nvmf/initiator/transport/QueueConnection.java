package io.nvmf.initiator.transport;

/** The connection of one queue, after it was initialized. Owned by its event loop: all methods are called on it. */
public interface QueueConnection {
    /** Writes the command; nothing leaves before {@link #flush} or {@link #flushLater}. */
    void send(Command command);

    void flush();

    /** Flushes when the current turn of the event loop ends. */
    void flushLater();

    /**
     * The most data a command capsule of this queue carries, except for fabrics commands, which always may carry 8192
     * bytes (NVMe/TCP 1.0 s3.3.2).
     */
    void inCapsuleDataBytes(int bytes);

    /** Ends the connection; the listener hears of it with this reason unless it already heard of an end. */
    void close(ConnectionException reason);
}
