package io.nvmf.transport;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import java.util.function.LongSupplier;

/**
 * Has a loop of any kind look for work again and again before it sleeps, for a wake-up costs more than many looks: it is told
 * that it must not block, as it is when tasks wait, so that tasks, timers and sockets all get their turn. Either all the
 * time, or for a short while when what was waited for lately came as soon. Owned by the loop.
 */
final class PollingIoHandler implements IoHandler, IoHandlerContext {
    /** A round trip to a host that waits for each answer; longer is nothing that a processor should be kept for. */
    static final long PATIENCE_NS = 50_000;
    /** So many waits in a row have to be short before it is patient. */
    static final int FEW_SHORT_WAITS = 8;
    /** The same when it was patient in vain again and again, as where the other end needs this very processor. */
    static final int MANY_SHORT_WAITS = 4096;

    private final IoHandler delegate;
    private final boolean always;
    private final LongSupplier nanoClock;
    private IoHandlerContext loop;

    private boolean isWaiting;
    private boolean wasPatient;
    private long waitingSinceNs;
    private int shortWaits;
    private int shortWaitsNeeded = FEW_SHORT_WAITS;

    /** @param always whether to look for work all the time; nobody needs to wake the loop then */
    PollingIoHandler(IoHandler delegate, boolean always) {
        this(delegate, always, System::nanoTime);
    }

    PollingIoHandler(IoHandler delegate, boolean always, LongSupplier nanoClock) {
        this.delegate = delegate;
        this.always = always;
        this.nanoClock = nanoClock;
    }

    @Override
    public int run(IoHandlerContext context) {
        loop = context;
        int handled = delegate.run(this);
        if (isWaiting && (handled > 0 || !loop.canBlock())) {
            isWaiting = false;
            waited(nanoClock.getAsLong() - waitingSinceNs < PATIENCE_NS);
        }
        return handled;
    }

    private void waited(boolean isShort) {
        if (isShort) {
            shortWaits = Math.min(shortWaits + 1, shortWaitsNeeded);
            if (wasPatient) {
                shortWaitsNeeded = FEW_SHORT_WAITS;
            }
            return;
        }
        shortWaits = 0;
        if (wasPatient) {
            shortWaitsNeeded = Math.min(shortWaitsNeeded * 2, MANY_SHORT_WAITS);
        }
    }

    // ---- What the delegate is told of the loop

    @Override
    public boolean canBlock() {
        if (always || !loop.canBlock()) {
            return false;
        }
        long nowNs = nanoClock.getAsLong();
        if (!isWaiting) {
            isWaiting = true;
            waitingSinceNs = nowNs;
            wasPatient = shortWaits >= shortWaitsNeeded;
        }
        return !wasPatient || nowNs - waitingSinceNs >= PATIENCE_NS;
    }

    @Override
    public long delayNanos(long currentTimeNanos) {
        return loop.delayNanos(currentTimeNanos);
    }

    @Override
    public long deadlineNanos() {
        return loop.deadlineNanos();
    }

    @Override
    public void reportActiveIoTime(long activeNanos) {
        loop.reportActiveIoTime(activeNanos);
    }

    @Override
    public boolean shouldReportActiveIoTime() {
        return loop.shouldReportActiveIoTime();
    }

    // ---- What the loop asks of the delegate

    @Override
    public void initialize() {
        delegate.initialize();
    }

    @Override
    public void prepareToDestroy() {
        delegate.prepareToDestroy();
    }

    @Override
    public void destroy() {
        delegate.destroy();
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
        return delegate.register(handle);
    }

    @Override
    public void wakeup() {
        if (!always) {
            delegate.wakeup();
        }
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return delegate.isCompatible(handleType);
    }
}
