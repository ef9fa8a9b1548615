package io.nvmf.initiator.controller;

import io.netty.util.concurrent.EventExecutor;
import io.nvmf.initiator.transport.ConnectionException;
import io.nvmf.transport.EventLoops;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Waiting for futures, and their failures. */
public final class Futures {
    private Futures() {}

    /** What failed, out of the wrapping that futures put around it. */
    public static Throwable cause(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    /**
     * Waits, and throws what the future fails with. Every future here ends in bounded time.
     *
     * @throws IllegalStateException on one of the loops, which would wait for itself
     */
    public static <T> T await(EventLoops loops, CompletableFuture<T> future) {
        for (EventExecutor loop : loops.group()) {
            if (loop.inEventLoop()) {
                throw new IllegalStateException(
                        "A blocking method must not be called on an event loop; use its asynchronous form");
            }
        }
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ConnectionException("Interrupted while waiting for the controller", e);
        } catch (ExecutionException e) {
            Throwable cause = cause(e);
            if (cause instanceof RuntimeException) {
                throw (RuntimeException) cause;
            }
            throw new ConnectionException("Unexpected failure: " + cause, cause);
        }
    }
}
