package io.nvmf.initiator.controller;

import io.netty.channel.IoEventLoop;
import io.nvmf.codec.Status;
import io.nvmf.codec.fabrics.ConnectCommand;
import io.nvmf.codec.fabrics.ConnectData;
import io.nvmf.codec.fabrics.ConnectResponse;
import io.nvmf.initiator.queue.HostQueue;
import io.nvmf.initiator.queue.QueueOptions;
import io.nvmf.initiator.queue.Request;
import io.nvmf.initiator.transport.ConnectionException;
import io.nvmf.initiator.transport.DataDirection;
import io.nvmf.initiator.transport.HostTransport;
import io.nvmf.initiator.transport.QueueSetup;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** Opens queues: the connection, then the Connect command (NVMe-oF 1.1 s3.3) over it. */
final class QueueConnector {
    static final int ADMIN_QUEUE_ID = 0;
    /** SQSIZE of the admin queue; every controller takes 32 entries. */
    static final int ADMIN_SQ_SIZE_ZERO_BASED = 31;

    /** Slots of the admin queue for Keep Alive and Asynchronous Event Request. */
    private static final int ADMIN_RESERVED_SLOTS = 2;

    private static final long MAX_TICK_MS = 1000;
    private static final long MIN_TICK_MS = 10;

    private final HostTransport transport;
    private final HostIdentity host;
    private final ConnectOptions options;
    private final Association association;

    QueueConnector(HostTransport transport, HostIdentity host, ConnectOptions options, Association association) {
        this.transport = transport;
        this.host = host;
        this.options = options;
        this.association = association;
    }

    /** A queue without a connection. */
    HostQueue create(int queueId, int sqSizeZeroBased, IoEventLoop loop) {
        boolean isAdmin = queueId == ADMIN_QUEUE_ID;
        int timeoutMs = isAdmin ? options.adminTimeoutMs() : options.ioTimeoutMs();
        if (isAdmin && options.keepAliveTimeoutMs() > 0) {
            timeoutMs = Math.min(timeoutMs, options.keepAliveTimeoutMs());
        }
        QueueOptions queueOptions = new QueueOptions(
                isAdmin ? association.name() : association.name() + " queue " + queueId,
                sqSizeZeroBased,
                isAdmin ? ADMIN_RESERVED_SLOTS : 0,
                options.waitingRequests(),
                !isAdmin && options.reconnects(),
                timeoutMs == 0 ? MAX_TICK_MS : Math.max(MIN_TICK_MS, Math.min(timeoutMs / 4, MAX_TICK_MS)));
        return new HostQueue(queueOptions, loop, System::nanoTime);
    }

    /**
     * Adds a queue to the association and connects it; its Connect command says what the setup and the connection say.
     * Called on the association's loop.
     *
     * @return CNTLID of the answer; completes on the queue's loop
     */
    CompletableFuture<Integer> connect(HostQueue queue, QueueSetup setup) {
        association.add(queue);
        return transport
                .open(setup, queue.loop(), queue)
                .thenComposeAsync( // on the queue's loop even if the connection was opened before this line ran
                        connection -> {
                            if (association.state() == Association.State.CLOSED) {
                                connection.close(abandoned(queue));
                                throw abandoned(queue);
                            }
                            queue.attach(connection, association.listener(setup.queueId()));
                            return sendConnect(queue, setup, connection.sqSizeZeroBased());
                        },
                        queue.loop());
    }

    private static ConnectionException abandoned(HostQueue queue) {
        return new ConnectionException(queue.name() + " was not connected: its association is over");
    }

    private CompletableFuture<Integer> sendConnect(HostQueue queue, QueueSetup setup, int sqSizeZeroBased) {
        ByteBuffer data = AdminCommands.direct(ConnectData.BYTES);
        new ConnectData(host.hostId(), setup.controllerId(), options.subsystemNqn(), host.hostNqn()).encode(data, 0);
        Request request = Request.standalone();
        ConnectCommand.encode(
                request.sqe(),
                setup.queueId(),
                sqSizeZeroBased,
                options.sqFlowControl() ? 0 : ConnectCommand.DISABLE_SQ_FLOW_CONTROL,
                setup.queueId() == ADMIN_QUEUE_ID ? options.keepAliveTimeoutMs() : 0);
        request.direction(DataDirection.HOST_TO_CONTROLLER)
                .timeoutMs(options.adminTimeoutMs())
                .add(data);
        CompletableFuture<Integer> done = new CompletableFuture<>();
        queue.submit(request.urgent().callback((status, result) -> onConnected(queue, done, status, result)));
        return done;
    }

    private static void onConnected(HostQueue queue, CompletableFuture<Integer> done, int status, long result) {
        if (Status.sct(status) == Status.TYPE_PATH) {
            done.completeExceptionally(new ConnectionException(queue.lossMessage()));
        } else if (!Status.isSuccess(status)) {
            done.completeExceptionally(new ConnectRejectedException(queue.name(), status, result));
        } else if (ConnectResponse.authenticationRequired(result) != 0) {
            done.completeExceptionally(
                    new ControllerException(queue.name() + " wants the host to authenticate, which this host cannot"));
        } else {
            done.complete(ConnectResponse.controllerId(result));
        }
    }
}
