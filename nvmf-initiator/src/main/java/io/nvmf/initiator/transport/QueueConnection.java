package io.nvmf.initiator.transport;

/** The connection of one queue, after it was initialized. Owned by its event loop: all methods are called on it. */
public interface QueueConnection {
    /** Writes the command; nothing leaves before {@link #flush} or {@link #flushLater}. */
    void send(Command command);

    void flush();

    /** Flushes when the current turn of the event loop ends. */
    void flushLater();

    /** Ends the connection; the listener hears of it with this reason unless it already heard of an end. */
    void close(ConnectionException reason);
}
