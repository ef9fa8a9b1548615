package io.nvmf.initiator;

import io.netty.channel.IoEventLoop;
import io.nvmf.transport.rdma.CmId;
import io.nvmf.transport.rdma.ConnectionManager;
import io.nvmf.transport.rdma.RdmaException;
import io.nvmf.transport.rdma.RdmaProvider;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.TimeUnit;

/** A provider that knows the host's control loop, to end it, and whose calls on that loop throw what no provider may. */
final class LoopRdma implements RdmaProvider {
    private final RdmaProvider real;
    private volatile IoEventLoop loop;

    /** A method of connection managers and ids that throws {@link #thrown}; null for none. */
    volatile String failing;

    volatile Throwable thrown;

    LoopRdma(RdmaProvider real) {
        this.real = real;
    }

    /** As an Error of the loop itself does. */
    void endLoop() throws InterruptedException {
        loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
    }

    @Override
    public String unavailabilityCause() {
        return real.unavailabilityCause();
    }

    @Override
    public ConnectionManager openConnectionManager(IoEventLoop controlLoop) throws RdmaException {
        loop = controlLoop;
        return failing(ConnectionManager.class, real.openConnectionManager(controlLoop));
    }

    private <T> T failing(Class<T> type, T target) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getName().equals(failing)) {
                        throw thrown;
                    }
                    try {
                        Object result = method.invoke(target, arguments);
                        return result instanceof CmId ? failing(CmId.class, (CmId) result) : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
