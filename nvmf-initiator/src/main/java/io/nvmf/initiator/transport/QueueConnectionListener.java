package io.nvmf.initiator.transport;

/** What a connection tells its queue, on the event loop. */
public interface QueueConnectionListener {
    /** The outstanding command with this identifier, or null. Any 16-bit number may be asked for. */
    Command command(int commandId);

    /** The command is answered and nobody below uses its buffers any more. */
    void onAnswered(Command command);

    /** The connection, which was opened, is no more or will carry nothing more. Called once. */
    void onLost(QueueConnection connection, ConnectionException reason);
}
