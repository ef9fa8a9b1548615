package io.nvmf.initiator.transport;

/** The connection of one queue, after it was initialized. Owned by its event loop: all methods are called on it. */
public interface QueueConnection {
    /** Writes the command; nothing leaves before {@link #flushLater}. */
    void send(Command command);

    /** Sends what was written when the current turn of the event loop ends. */
    void flushLater();

    /** SQSIZE of the Connect command: as it was asked for, or less where an RDMA device holds less. */
    int sqSizeZeroBased();

    /** How many commands the controller takes at a time; no more may be sent that are not answered. At least 1. */
    int maxCommands();

    /**
     * Ends the connection; the listener hears of it with this reason unless it already heard of an end.
     * Commands whose memory may still be in use are answered later.
     */
    void close(ConnectionException reason);
}
