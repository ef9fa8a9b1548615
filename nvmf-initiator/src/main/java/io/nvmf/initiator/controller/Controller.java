package io.nvmf.initiator.controller;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.StatusNames.Kind;
import io.nvmf.codec.feature.FeaturesCommand;
import io.nvmf.codec.identify.Cns;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.NamespaceDescriptors;
import io.nvmf.codec.identify.NamespaceList;
import io.nvmf.codec.log.GetLogPageCommand;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.initiator.queue.HostQueue;
import io.nvmf.initiator.queue.QueueSet;
import io.nvmf.initiator.transport.ConnectionException;
import io.nvmf.initiator.transport.DataDirection;
import io.nvmf.transport.EventLoops;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A connected controller: one association with its admin queue and I/O queues. Any thread may call any method. Methods
 * whose names end in {@code Async} do not block; their futures complete on an event loop. The others wait, in bounded
 * time, and must not be called on an event loop. Failures are {@link io.nvmf.initiator.transport.NvmfException}s, most of
 * them {@link io.nvmf.initiator.queue.NvmeStatusException}.
 *
 * <p>When a connection is lost or a command is late, the whole association ends. Unless {@link
 * ConnectOptions#controllerLossTimeoutMs} is set, every request fails then, and nothing connects again by itself; else
 * another association is made, and the same object goes on with it. {@link #ended} tells when all is over.
 */
public final class Controller implements AutoCloseable {
    private static final int MAX_NAMESPACE_LISTS = 64;

    private final EventLoops loops;
    private final ConnectOptions options;
    private final ControllerLife life;
    private final QueueSet queues;
    private final Namespaces namespaces;
    private final LifeEvents lifeEvents = new LifeEvents();

    Controller(EventLoops loops, ConnectOptions options, ControllerLife life, QueueSet queues) {
        this.loops = loops;
        this.options = options;
        this.life = life;
        this.queues = queues;
        namespaces = new Namespaces(options.peer(), queues, options.ioTimeoutMs());
    }

    /** Begins the life with the first link, on its loop. */
    CompletableFuture<Controller> begin(Link link) {
        return life.begin(link, lifeEvents).thenApply(nothing -> this);
    }

    /** What this object has to do when its life takes a turn. */
    private final class LifeEvents implements ControllerLife.Events {
        private volatile Changes changes;

        @Override
        public CompletableFuture<Void> beforeLive(Link link) {
            changes = new Changes(link, namespaces, options);
            return changes.refreshAna()
                    .thenCompose(nothing -> namespaces.refresh(link, List.copyOf(namespaces.nsids())));
        }

        @Override
        public void onLive(Link link) {
            new AsyncEvents(link.adminQueue(), changes::onEvent).request();
        }

        @Override
        public void onState(ControllerState state, String reason) {
            options.stateListener().onState(Controller.this, state, reason);
        }
    }

    private AdminCommands admin() {
        return life.link().admin();
    }

    private ControllerFacts facts() {
        return life.link().facts();
    }

    // ---- What the controller told when it was last connected

    public String subsystemNqn() {
        return options.subsystemNqn();
    }

    /** CNTLID. */
    public int controllerId() {
        return facts().controllerId();
    }

    /** CAP, see {@link io.nvmf.codec.fabrics.Capabilities}. */
    public long capabilities() {
        return facts().capabilities();
    }

    /** VS: major version in bits 31:16, minor in 15:8, tertiary in 7:0. */
    public long version() {
        return facts().version();
    }

    /** What Identify said when the controller was connected. */
    public IdentifyController identify() {
        return facts().identify();
    }

    public int ioQueueCount() {
        return queues.size();
    }

    /** The most data of one command, in bytes; larger reads and writes are split. */
    public long maxTransferBytes() {
        return facts().limits().transferBytes();
    }

    public ControllerState state() {
        return life.state();
    }

    /** How often it was connected again. */
    public int reconnects() {
        return life.reconnects();
    }

    /** Whether commands can be sent now. */
    public boolean isLive() {
        return life.state() == ControllerState.LIVE && life.link().association().state() == Association.State.LIVE;
    }

    /** Completes with the reason when all is over, by whatever end, and every request has ended. */
    public CompletableFuture<ConnectionException> ended() {
        return life.ended().copy();
    }

    // ---- Namespaces

    /** The ids of the namespaces attached to this controller, ascending. */
    public List<Long> activeNamespaces() {
        return await(activeNamespacesAsync());
    }

    public CompletableFuture<List<Long>> activeNamespacesAsync() {
        return activeNamespacesAfter(0, new ArrayList<>(), MAX_NAMESPACE_LISTS);
    }

    private CompletableFuture<List<Long>> activeNamespacesAfter(long after, List<Long> found, int listsLeft) {
        return admin().identify(Cns.ACTIVE_NAMESPACE_LIST, after, 0).thenCompose(data -> {
            long last = after;
            long[] nsids = NamespaceList.decode(data, 0);
            for (long nsid : nsids) {
                if (nsid <= last) {
                    throw new ControllerException(options.peer() + " lists namespaces out of order");
                }
                found.add(nsid);
                last = nsid;
            }
            boolean more = nsids.length == NamespaceList.MAX_ENTRIES && listsLeft > 1;
            return more
                    ? activeNamespacesAfter(last, found, listsLeft - 1)
                    : CompletableFuture.completedFuture(List.copyOf(found));
        });
    }

    /**
     * A namespace, identified now: the same object each time as long as it is the same namespace. It is kept up to date
     * when the controller tells of changes, and when it is connected again; after it was gone it goes on when it is there
     * again with the identifiers and the block size that it had.
     *
     * @throws ControllerException if it is not active or its format is not supported
     */
    public Namespace namespace(long nsid) {
        return await(namespaceAsync(nsid));
    }

    /** As {@link #namespace}. */
    public CompletableFuture<Namespace> namespaceAsync(long nsid) {
        return namespaces.open(life.link(), nsid);
    }

    /** UUID, NGUID and EUI64 of a namespace. */
    public NamespaceDescriptors namespaceDescriptors(long nsid) {
        return await(namespaceDescriptorsAsync(nsid));
    }

    public CompletableFuture<NamespaceDescriptors> namespaceDescriptorsAsync(long nsid) {
        return admin().identify(Cns.NAMESPACE_DESCRIPTORS, nsid, 0)
                .thenApply(data -> NamespaceDescriptors.decode(data, 0));
    }

    /** Reads the ANA log, if there is one; {@link Namespace#anaState} tells then. Never fails. */
    public CompletableFuture<Void> refreshAnaAsync() {
        Changes current = lifeEvents.changes;
        return current == null ? CompletableFuture.completedFuture(null) : current.refreshAna();
    }

    /** Whether it is an I/O queue of this controller. */
    public boolean hasQueue(HostQueue queue) {
        return queues.all().contains(queue);
    }

    // ---- Admin commands

    /** Identify Controller, asked now. */
    public IdentifyController identifyController() {
        return await(identifyControllerAsync());
    }

    public CompletableFuture<IdentifyController> identifyControllerAsync() {
        return admin().identify(Cns.CONTROLLER, 0, 0).thenApply(data -> IdentifyController.decode(data, 0));
    }

    /**
     * Part of a log page, as a little-endian buffer of its own.
     *
     * @param logPageId see {@link io.nvmf.codec.log.LogPageId}
     * @param nsid {@link Sqe#NSID_ALL} for a log of the controller
     * @param offsetBytes where to start, a multiple of 4; needs support by the controller (LPA bit 2) unless 0
     * @param lengthBytes a multiple of 4, at most {@link #maxTransferBytes}
     */
    public ByteBuffer getLogPage(int logPageId, long nsid, long offsetBytes, int lengthBytes) {
        return await(getLogPageAsync(logPageId, nsid, offsetBytes, lengthBytes));
    }

    public CompletableFuture<ByteBuffer> getLogPageAsync(int logPageId, long nsid, long offsetBytes, int lengthBytes) {
        if (lengthBytes > maxTransferBytes()) {
            throw new IllegalArgumentException(
                    lengthBytes + " bytes of a log page are more than the " + maxTransferBytes() + " of one command");
        }
        ByteBuffer data = AdminCommands.direct(lengthBytes);
        return admin().execute(
                        String.format("Get Log Page (LID %02Xh)", logPageId),
                        Kind.ADMIN,
                        sqe -> GetLogPageCommand.encode(sqe, logPageId, lengthBytes, offsetBytes)
                                .nsid(nsid),
                        DataDirection.CONTROLLER_TO_HOST,
                        data)
                .thenApply(result -> data);
    }

    /** The current value of a feature that is a number, see {@link io.nvmf.codec.feature.FeatureId}. */
    public long getFeature(int featureId) {
        return await(getFeatureAsync(featureId, FeaturesCommand.SELECT_CURRENT, 0));
    }

    /** A feature that is a number; {@code select} as {@link FeaturesCommand} has it. */
    public CompletableFuture<Long> getFeatureAsync(int featureId, int select, long nsid) {
        return admin().getFeature(featureId, select, nsid).thenApply(result -> result & 0xFFFF_FFFFL);
    }

    /** Sets a feature that is a number; returns DW0. */
    public long setFeature(int featureId, long value) {
        return await(setFeatureAsync(featureId, value, 0));
    }

    public CompletableFuture<Long> setFeatureAsync(int featureId, long value, long nsid) {
        return admin().setFeature(featureId, value, nsid).thenApply(result -> result & 0xFFFF_FFFFL);
    }

    /**
     * Sends any admin command.
     *
     * @param fill writes the entry, see {@link Sqe#clear}; CID and SGL1 are set here. The direction of the data is the
     *     one its opcode tells
     * @param data a direct buffer, lent until the command is done: its bytes between position and limit; null for none
     * @return DW0 in the low and DW1 in the high half
     */
    public CompletableFuture<Long> adminPassthrough(Consumer<Sqe> fill, ByteBuffer data) {
        return passthrough(Kind.ADMIN, fill, data, admin()::execute);
    }

    /**
     * Sends any command on an I/O queue, once and as it is: it is neither split nor sent again.
     *
     * @param fill writes the entry with its NSID, see {@link Sqe#clear}; CID and SGL1 are set here. The direction of the
     *     data is the one its opcode tells
     * @param data a direct buffer, lent until the command is done: its bytes between position and limit; null for none
     * @return DW0 in the low and DW1 in the high half
     */
    public CompletableFuture<Long> ioPassthrough(Consumer<Sqe> fill, ByteBuffer data) {
        return passthrough(
                Kind.IO_NVM,
                fill,
                data,
                (what, kind, entry, direction, buffer) -> queues.select().execute(what, kind, request -> {
                    entry.accept(request.sqe());
                    request.direction(direction).timeoutMs(options.ioTimeoutMs());
                    if (buffer != null) {
                        request.add(buffer);
                    }
                }));
    }

    /** Where a command goes. */
    private interface Executor {
        CompletableFuture<Long> execute(
                String what, Kind kind, Consumer<Sqe> fill, DataDirection direction, ByteBuffer data);
    }

    private CompletableFuture<Long> passthrough(Kind kind, Consumer<Sqe> fill, ByteBuffer data, Executor executor) {
        if (data != null && data.remaining() > maxTransferBytes()) {
            throw new IllegalArgumentException(data.remaining() + " bytes are more than the " + maxTransferBytes()
                    + " that one command may transfer");
        }
        Sqe sqe = Sqe.allocate();
        fill.accept(sqe);
        DataDirection direction = data == null ? DataDirection.NONE : AdminCommands.directionOf(sqe);
        return executor.execute(
                String.format("%s command %02Xh", kind == Kind.ADMIN ? "Admin" : "I/O", sqe.opcode()),
                kind,
                target -> target.buffer().put(target.offset(), sqe.buffer(), sqe.offset(), Sqe.BYTES),
                direction,
                data);
    }

    // ---- Disconnecting

    /** Disconnects as {@link #disconnectAsync} does and waits for it. */
    @Override
    public void close() {
        await(disconnectAsync());
    }

    /**
     * Shuts the controller down (CC.SHN, NVMe Base 2.0 s3.6.1) and closes all connections. Requests that are not done fail
     * with Aborted By Host. May be called again.
     *
     * @return completes, never with a failure, when everything is closed; in bounded time
     */
    public CompletableFuture<Void> disconnectAsync() {
        life.disconnect();
        return life.ended().thenAccept(reason -> {});
    }

    private <T> T await(CompletableFuture<T> future) {
        return Futures.await(loops, future);
    }

    @Override
    public String toString() {
        return subsystemNqn() + " at " + options.peer() + ", controller " + controllerId();
    }
}
