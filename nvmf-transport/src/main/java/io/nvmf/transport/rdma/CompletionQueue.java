package io.nvmf.transport.rdma;

/** Where finished work requests are reported (ibv_cq). Polled and armed by the loop of its channel. */
public interface CompletionQueue extends AutoCloseable {
    /**
     * Takes what is there, up to the capacity of {@code into}, which is overwritten.
     *
     * @return how many; negative when the queue is broken, and its queue pair with it
     */
    int poll(Completions into);

    /**
     * Has the channel tell of the next entry. Entries that came before are not told of: poll once more afterwards.
     *
     * @return false when the queue is broken
     */
    boolean arm();

    /** Closes it, after its queue pair. Called on any thread, when its own loop neither polls nor arms it any more. */
    @Override
    void close();
}
