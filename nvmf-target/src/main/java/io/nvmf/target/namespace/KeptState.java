package io.nvmf.target.namespace;

import io.nvmf.codec.Status;
import io.nvmf.target.state.NamespaceState;
import io.nvmf.target.state.StateFile;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The order in which hosts change what may outlive the target: one change after the other, each kept before it takes
 * effect. With a file, changes have a thread of their own, for they wait for the disk. Thread safe.
 */
final class KeptState {
    private static final Logger LOG = LoggerFactory.getLogger(KeptState.class);
    private static final int IDLE_SECONDS = 1;
    private static final int CLOSE_SECONDS = 30;

    private final StateFile file;
    private final ThreadPoolExecutor writer;

    /** What a change does, one at a time. */
    interface Change<T> {
        /** @throws IOException of {@link #save}, when nothing must have changed */
        T make() throws IOException;
    }

    /** @param file null when nothing is kept */
    KeptState(StateFile file) {
        this.file = file;
        this.writer = file == null ? null : oneThreadWhileNeeded();
    }

    private static ThreadPoolExecutor oneThreadWhileNeeded() {
        ThreadPoolExecutor executor =
                new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), work -> {
                    Thread thread = new Thread(work, "nvmf-state");
                    thread.setDaemon(true);
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /** What was kept before. */
    NamespaceState atStart() {
        return file == null ? NamespaceState.NONE : file.saved();
    }

    /** Whether there is a file in which something can outlive the target. */
    boolean canSave() {
        return file != null && file.canSave();
    }

    /**
     * Makes a change, at once when there is no file. Any thread.
     *
     * @param refused makes the answer of a status when it cannot be made
     * @return ends on any thread
     */
    <T> CompletableFuture<T> change(Change<T> change, IntFunction<T> refused) {
        if (file == null) {
            return CompletableFuture.completedFuture(makeNow(change, refused));
        }
        try {
            return CompletableFuture.supplyAsync(() -> makeNow(change, refused), writer);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.completedFuture(refused.apply(Status.NAMESPACE_NOT_READY));
        }
    }

    private synchronized <T> T makeNow(Change<T> change, IntFunction<T> refused) {
        try {
            return change.make();
        } catch (IOException e) {
            LOG.error(
                    "the state of a namespace cannot be kept in {}, its change is refused: {}",
                    file.path(),
                    e.toString());
            return refused.apply(Status.INTERNAL_ERROR);
        }
    }

    /** For a {@link Change}: when it returns, the new state survives a loss of power, if there is a file. */
    void save(UnaryOperator<NamespaceState> next) throws IOException {
        if (file != null) {
            file.save(next.apply(file.saved()));
        }
    }

    /** Waits for changes under way; later ones are refused. Blocks. */
    void close() {
        if (file == null) {
            return;
        }
        writer.shutdown();
        try {
            if (writer.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                file.close();
            } else {
                LOG.warn("{} is still being written", file.path());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
