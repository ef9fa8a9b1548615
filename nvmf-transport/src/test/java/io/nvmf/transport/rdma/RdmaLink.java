package io.nvmf.transport.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** One end of a connection in a test: what the communication manager and the completion queue have told. */
final class RdmaLink implements CmListener, AutoCloseable {
    /** An event of the communication manager. */
    record Event(String name, int reason, ByteBuffer data) {}

    /** Work that was completed. */
    record Done(long workId, int status, int lengthBytes, boolean hasInvalidatedKey, int invalidatedKey) {}

    /** What is posted, on the loop of the queue pair. */
    interface Posting {
        void to(QueuePair queuePair) throws Exception;
    }

    private static final int BATCH = 16;

    final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    final BlockingQueue<Done> done = new LinkedBlockingQueue<>();
    private final RdmaEnd end;
    private final Completions batch = new Completions(BATCH);
    CmId id;
    QueuePair queuePair;
    CompletionQueue completionQueue;
    private volatile boolean isClosed;

    RdmaLink(RdmaEnd end) {
        this.end = end;
    }

    RdmaEnd end() {
        return end;
    }

    /** Makes the queue pair and its completion queue, and begins to take what it tells. */
    RdmaLink open(QueuePairSize size, int completions) throws Exception {
        CompletionChannel channel = end.channel(id.device());
        completionQueue = end.onControl(() -> channel.createCompletionQueue(completions, this::takeCompletions));
        queuePair = end.onControl(() -> id.createQueuePair(completionQueue, size));
        end.onData(() -> {
            takeCompletions();
            return null;
        });
        return this;
    }

    private void takeCompletions() {
        if (isClosed) {
            return;
        }
        drain();
        completionQueue.arm();
        drain();
    }

    private void drain() {
        int count = completionQueue.poll(batch);
        while (count > 0) {
            for (int i = 0; i < count; i++) {
                done.add(new Done(
                        batch.workId(i),
                        batch.status(i),
                        batch.lengthBytes(i),
                        batch.hasInvalidatedKey(i),
                        batch.invalidatedKey(i)));
            }
            count = completionQueue.poll(batch);
        }
        if (count < 0) {
            done.add(new Done(-1, -1, 0, false, 0));
        }
    }

    void connect(ByteBuffer privateData, int responderResources, int initiatorDepth) throws Exception {
        end.onControl(() -> {
            id.connect(new ConnectionParameters(privateData, responderResources, initiatorDepth));
            return null;
        });
    }

    void accept(ByteBuffer privateData, int responderResources, int initiatorDepth) throws Exception {
        end.onControl(() -> {
            id.accept(new ConnectionParameters(privateData, responderResources, initiatorDepth));
            return null;
        });
    }

    void reject(ByteBuffer privateData) throws Exception {
        end.onControl(() -> {
            id.reject(privateData);
            return null;
        });
    }

    void disconnect() throws Exception {
        end.onControl(() -> {
            id.disconnect();
            return null;
        });
    }

    /** Adds and posts, on the loop of the queue pair. @return whether the queue pair took it */
    boolean post(Posting posting) throws Exception {
        return end.onData(() -> {
            posting.to(queuePair);
            return queuePair.post();
        });
    }

    boolean postReceive(long workId, RdmaEnd.Memory memory, int offset, int lengthBytes) throws Exception {
        return end.onData(
                () -> queuePair.postReceive(workId, memory.address(offset), lengthBytes, memory.localKey(), 0, 0, 0));
    }

    Event expect(String name) throws InterruptedException {
        Event event = events.poll(RdmaEnd.PATIENCE_S, TimeUnit.SECONDS);
        assertNotNull(event, "no event came, but " + name + " should");
        assertEquals(name, event.name());
        return event;
    }

    Done takeDone() throws InterruptedException {
        Done next = done.poll(RdmaEnd.PATIENCE_S, TimeUnit.SECONDS);
        assertNotNull(next, "no completion came");
        return next;
    }

    Done expectDone(long workId) throws InterruptedException {
        return expectDone(workId, Completions.SUCCESS);
    }

    Done expectDone(long workId, int status) throws InterruptedException {
        Done next = takeDone();
        assertEquals(workId, next.workId(), "work");
        assertEquals(Completions.statusName(status), Completions.statusName(next.status()), "status of " + workId);
        return next;
    }

    void assertNothingDone() {
        Done next = done.poll();
        assertNull(next, "a completion that should not be");
    }

    /** Stops polling, destroys the queue pair, the completion queue and the id, in this order. */
    @Override
    public void close() {
        isClosed = true;
        RdmaEnd.quietly(end::onData, () -> {});
        RdmaEnd.quietly(end::onControl, () -> {
            if (queuePair != null) {
                queuePair.close();
                completionQueue.close();
            }
            id.close();
        });
    }

    @Override
    public void onRouteResolved() {
        events.add(new Event("route resolved", 0, null));
    }

    @Override
    public void onEstablished(ByteBuffer privateData) {
        assertTrue(privateData.position() == 0);
        events.add(new Event("established", 0, privateData));
    }

    @Override
    public void onRejected(int reason, ByteBuffer privateData) {
        events.add(new Event("rejected", reason, privateData));
    }

    @Override
    public void onDisconnected() {
        events.add(new Event("disconnected", 0, null));
    }

    @Override
    public void onDeviceRemoved() {
        events.add(new Event("device removed", 0, null));
    }

    @Override
    public void onFailed(String why) {
        events.add(new Event("failed: " + why, 0, null));
    }
}
