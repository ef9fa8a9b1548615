package io.nvmf.initiator;

import io.netty.channel.IoEventLoop;
import io.nvmf.transport.rdma.CmId;
import io.nvmf.transport.rdma.ConnectionManager;
import io.nvmf.transport.rdma.RdmaException;
import io.nvmf.transport.rdma.RdmaProvider;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A provider one of whose calls for connection ids takes its time, as registering much memory does. */
final class SlowRdma implements RdmaProvider {
    private final RdmaProvider real;
    private final String slowMethod;
    private final long takesMs;

    SlowRdma(RdmaProvider real, String slowMethod, long takesMs) {
        this.real = real;
        this.slowMethod = slowMethod;
        this.takesMs = takesMs;
    }

    @Override
    public String unavailabilityCause() {
        return real.unavailabilityCause();
    }

    @Override
    public ConnectionManager openConnectionManager(IoEventLoop controlLoop) throws RdmaException {
        return slow(ConnectionManager.class, real.openConnectionManager(controlLoop));
    }

    private <T> T slow(Class<T> type, T target) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getName().equals(slowMethod)) {
                        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(takesMs);
                        while (System.nanoTime() - endNs < 0) {
                            LockSupport.parkNanos(endNs - System.nanoTime());
                        }
                    }
                    try {
                        Object result = method.invoke(target, arguments);
                        return result instanceof CmId ? slow(CmId.class, (CmId) result) : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
