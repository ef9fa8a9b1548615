package io.nvmf.initiator;

import io.netty.channel.IoEventLoop;
import io.nvmf.transport.rdma.CmId;
import io.nvmf.transport.rdma.ConnectionManager;
import io.nvmf.transport.rdma.QueuePair;
import io.nvmf.transport.rdma.RdmaException;
import io.nvmf.transport.rdma.RdmaProvider;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;

/** A provider whose queue pairs are not destroyed before a gate is open: so what must wait for that shows. */
final class GatedRdma implements RdmaProvider {
    private final RdmaProvider real;
    private final CountDownLatch gate = new CountDownLatch(1);
    private final CountDownLatch reached = new CountDownLatch(1);

    GatedRdma(RdmaProvider real) {
        this.real = real;
    }

    void open() {
        gate.countDown();
    }

    /** Waits until a queue pair is about to be destroyed. */
    void awaitDestruction() throws InterruptedException {
        reached.await();
    }

    @Override
    public String unavailabilityCause() {
        return real.unavailabilityCause();
    }

    @Override
    public ConnectionManager openConnectionManager(IoEventLoop loop) throws RdmaException {
        return gated(ConnectionManager.class, real.openConnectionManager(loop));
    }

    /** Passes everything on, and wraps what leads to queue pairs. */
    private <T> T gated(Class<T> type, T target) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (type == QueuePair.class && method.getName().equals("close")) {
                        reached.countDown();
                        gate.await();
                    }
                    return result(method, target, arguments);
                }));
    }

    private Object result(Method method, Object target, Object[] arguments) throws Throwable {
        try {
            Object result = method.invoke(target, arguments);
            return switch (method.getName()) {
                case "resolve" -> gated(CmId.class, (CmId) result);
                case "createQueuePair" -> gated(QueuePair.class, (QueuePair) result);
                default -> result;
            };
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
