package io.nvmf.transport;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;

/**
 * Has a loop of any kind look for work all the time: it is told that it must not block, as it is when tasks wait, so that
 * tasks, timers and sockets all get their turn. Nobody needs to wake it then. Owned by the loop.
 */
final class PollingIoHandler implements IoHandler, IoHandlerContext {
    private final IoHandler delegate;
    private IoHandlerContext loop;

    PollingIoHandler(IoHandler delegate) {
        this.delegate = delegate;
    }

    @Override
    public int run(IoHandlerContext context) {
        loop = context;
        return delegate.run(this);
    }

    // ---- What the delegate is told of the loop

    @Override
    public boolean canBlock() {
        return false;
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

    /** It is awake. */
    @Override
    public void wakeup() {}

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return delegate.isCompatible(handleType);
    }
}
