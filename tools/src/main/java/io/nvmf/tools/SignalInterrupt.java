package io.nvmf.tools;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Makes of SIGINT and SIGTERM an interrupt of the thread that registers, and keeps the process until that has closed this.
 * The exit status is the signal's then.
 */
final class SignalInterrupt implements AutoCloseable {
    /** Requests of a target that does not answer may take longer than a person waits after Ctrl-C. */
    private static final long MAX_WAIT_S = 10;

    private final Thread interrupted = Thread.currentThread();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread hook = new Thread(this::onSignal, "nvmf-stop");

    private SignalInterrupt() {}

    static SignalInterrupt register() {
        SignalInterrupt made = new SignalInterrupt();
        Runtime.getRuntime().addShutdownHook(made.hook);
        return made;
    }

    private void onSignal() {
        interrupted.interrupt();
        try {
            closed.await(MAX_WAIT_S, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The signal is on its way through the hook, which waits no longer.
            return;
        }
    }
}
