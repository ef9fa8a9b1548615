package io.nvmf.tools;

import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Makes of SIGINT and SIGTERM an interrupt of the thread that registers, and keeps the process until that has closed this. The
 * exit status is the signal's then. A second signal ends the process whatever it does.
 */
final class SignalInterrupt implements AutoCloseable {
    /** A result that nobody takes must not keep the process for longer than a person waits after Ctrl-C. */
    private static final long MAX_WAIT_S = 10;

    /** As a shell has it: 128 and the number of the signal. */
    private static final Map<String, Integer> STATUS = Map.of("INT", 130, "TERM", 143);

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
        STATUS.forEach(SignalInterrupt::haltAt);
        interrupted.interrupt();
        try {
            closed.await(MAX_WAIT_S, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * A Java virtual machine that is ending takes no notice of signals. What makes it is in jdk.unsupported, which the compiler
     * warns of and which may be missing: then it ends a little later.
     */
    private static void haltAt(String signal, int status) {
        try {
            Class<?> type = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object halt = Proxy.newProxyInstance(
                    handler.getClassLoader(), new Class<?>[] {handler}, (proxy, method, arguments) -> {
                        Runtime.getRuntime().halt(status);
                        return null;
                    });
            type.getMethod("handle", type, handler)
                    .invoke(null, type.getConstructor(String.class).newInstance(signal), halt);
        } catch (ReflectiveOperationException e) {
            return;
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
