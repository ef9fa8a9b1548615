package io.nvmf.transport.rdma;

/** Tells one event loop that completion queues have entries (ibv_comp_channel). */
public interface CompletionChannel extends AutoCloseable {
    /**
     * Makes a completion queue that is not armed. May be called from any thread.
     *
     * @param onEvent called on the channel's loop when an entry came while the queue was armed; it then is not any more
     * @throws RdmaException when the device cannot
     */
    CompletionQueue createCompletionQueue(int entries, Runnable onEvent) throws RdmaException;

    /** Closes it; its queues are closed already. Called on its loop. */
    @Override
    void close();
}
