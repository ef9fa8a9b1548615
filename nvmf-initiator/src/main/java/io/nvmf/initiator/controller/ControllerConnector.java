package io.nvmf.initiator.controller;

import io.netty.channel.IoEventLoop;
import io.nvmf.codec.Status;
import io.nvmf.codec.fabrics.Capabilities;
import io.nvmf.codec.fabrics.ConnectData;
import io.nvmf.codec.fabrics.ControllerConfiguration;
import io.nvmf.codec.fabrics.ControllerStatus;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.feature.FeatureId;
import io.nvmf.codec.feature.NumberOfQueues;
import io.nvmf.codec.identify.Cns;
import io.nvmf.codec.identify.Csi;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyController.Field;
import io.nvmf.codec.identify.NvmCommandSetController;
import io.nvmf.codec.nvm.DatasetManagementCommand;
import io.nvmf.initiator.namespace.NamespaceLimits;
import io.nvmf.initiator.queue.HostQueue;
import io.nvmf.initiator.queue.QueueSet;
import io.nvmf.initiator.transport.CapsuleLayout;
import io.nvmf.initiator.transport.ConnectionException;
import io.nvmf.initiator.transport.HostRdma;
import io.nvmf.initiator.transport.HostTransport;
import io.nvmf.initiator.transport.QueueSetup;
import io.nvmf.transport.EventLoops;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes an association, step by step: admin queue, enabling, Identify, number of queues, I/O queues, then keep alive and
 * asynchronous events. One object a connect; all steps run on the event loop of the admin queue.
 */
public final class ControllerConnector {
    private static final Logger LOG = LoggerFactory.getLogger(ControllerConnector.class);

    private static final int NVME_2_0 = 0x0002_0000;
    private static final int MIN_READY_TIMEOUT_MS = 500;
    private static final int CRTO_UNIT_MS = 500;
    private static final int MIN_CAPSULE_UNITS = 4;
    private static final int SGLS_SUPPORT_MASK = 0x3;
    private static final int MAX_LIMIT_SHIFT = 40;

    private final EventLoops loops;
    private final ConnectOptions options;
    private final HostTransport transport;
    private final Association association;
    private final QueueConnector queueConnector;

    private HostQueue adminQueue;
    private AdminCommands admin;
    private int controllerId;
    private long capabilities;
    private long configuration;
    private long version;
    private IdentifyController identify;
    private NamespaceLimits limits;
    private final List<HostQueue> formerQueues;
    private List<HostQueue> ioQueues = List.of();
    private KeepAlive keepAlive;
    private long connectedNanos;

    /**
     * @param loop owns the association
     * @param ioQueues the queues to connect, those of an earlier association; none for a new controller
     */
    private ControllerConnector(
            EventLoops loops,
            HostRdma rdma,
            HostIdentity host,
            ConnectOptions options,
            IoEventLoop loop,
            List<HostQueue> ioQueues) {
        this.loops = loops;
        this.options = options;
        this.formerQueues = ioQueues;
        association = new Association(options.peer(), loop);
        transport = options.hostTransport(loops, rdma);
        queueConnector = new QueueConnector(transport, host, options, association);
    }

    /**
     * Connects; the future completes on an event loop. It fails with an {@link
     * io.nvmf.initiator.transport.NvmfException}: {@link ConnectionException}, {@link ConnectRejectedException}, {@link
     * ControllerException} or the status of a command; nothing stays open then.
     */
    public static CompletableFuture<Controller> connect(
            EventLoops loops, HostRdma rdma, HostIdentity host, ConnectOptions options) {
        ConnectOptions own = options.copy();
        IoEventLoop loop = loops.next();
        ControllerConnector connector = new ControllerConnector(loops, rdma, host, own, loop, List.of());
        return CompletableFuture.supplyAsync(connector::run, loop)
                .thenCompose(link -> link)
                .thenCompose(link -> {
                    QueueSet queues = new QueueSet(link.ioQueues(), own.queueSelection());
                    ControllerLife life = new ControllerLife(
                            loop,
                            own,
                            queues,
                            () -> new ControllerConnector(loops, rdma, host, own, loop, queues.all()));
                    return new Controller(loops, own, life, queues)
                            .begin(link)
                            .handle((controller, failure) -> failure == null
                                    ? CompletableFuture.completedFuture(controller)
                                    : connector.<Controller>failed(Futures.cause(failure)))
                            .thenCompose(controller -> controller);
                });
    }

    /** Makes the association, but for letting requests flow. On its loop. */
    CompletableFuture<Link> run() {
        CompletableFuture<Link> done = new CompletableFuture<>();
        connectAdminQueue()
                .thenCompose(nothing -> enable())
                .thenCompose(nothing -> identify())
                .thenCompose(nothing -> readLimits())
                .thenCompose(nothing -> connectIoQueues())
                .thenCompose(nothing -> configureEvents())
                .thenApply(nothing -> link())
                .whenComplete((link, failure) -> {
                    if (failure == null) {
                        done.complete(link);
                    } else {
                        fail(done, connectionLossOr(Futures.cause(failure)));
                    }
                });
        return done;
    }

    /** Ends the association, made or being made; completes when it has ended. On its loop. */
    CompletableFuture<Void> abandon(String reason) {
        if (keepAlive != null) {
            keepAlive.stop();
        }
        association.end(Status.ABORTED_BY_HOST, new ConnectionException(reason));
        return association.ended().thenAccept(ended -> {});
    }

    private CompletableFuture<Void> connectAdminQueue() {
        adminQueue = queueConnector.create(
                QueueConnector.ADMIN_QUEUE_ID, QueueConnector.ADMIN_SQ_SIZE_ZERO_BASED, association.loop());
        admin = new AdminCommands(adminQueue, options.adminTimeoutMs());
        QueueSetup setup = new QueueSetup(
                adminQueue.name(),
                QueueConnector.ADMIN_QUEUE_ID,
                QueueConnector.ADMIN_SQ_SIZE_ZERO_BASED,
                ConnectData.CONTROLLER_ID_DYNAMIC,
                transport.adminCapsule());
        return queueConnector.connect(adminQueue, setup).thenAccept(id -> {
            controllerId = id;
            connectedNanos = System.nanoTime();
            adminQueue.resume();
        });
    }

    // ---- Enabling (NVMe Base 2.0 s3.5.1)

    private CompletableFuture<Void> enable() {
        return admin.propertyGet(Property.CAP)
                .thenCompose(cap -> {
                    capabilities = cap;
                    configuration = ControllerConfiguration.ENTRY_SIZES | commandSetAndPageSize(cap);
                    return admin.propertySet(Property.CC, configuration);
                })
                .thenCompose(nothing -> readyTimeoutMs())
                .thenCompose(timeoutMs -> {
                    configuration |= ControllerConfiguration.ENABLE;
                    return admin.propertySet(Property.CC, configuration).thenCompose(done -> waitUntilReady(timeoutMs));
                })
                .thenCompose(nothing -> admin.propertyGet(Property.VS))
                .thenAccept(vs -> version = vs);
    }

    private static long commandSetAndPageSize(long cap) {
        long commandSet = Capabilities.has(cap, Capabilities.NVM_COMMAND_SET)
                ? ControllerConfiguration.COMMAND_SET_NVM
                : Capabilities.has(cap, Capabilities.IO_COMMAND_SETS)
                        ? ControllerConfiguration.COMMAND_SET_ALL
                        : ControllerConfiguration.COMMAND_SET_ADMIN_ONLY;
        long pageSize = Long.numberOfTrailingZeros(Capabilities.minimumPageBytes(cap)) - 12;
        return commandSet << 4 | pageSize << 7;
    }

    /** CAP.TO or, where the controller has it and it is longer, CRTO.CRWMT. */
    private CompletableFuture<Integer> readyTimeoutMs() {
        int timeoutMs = Math.max(MIN_READY_TIMEOUT_MS, Capabilities.readyTimeoutMs(capabilities));
        if (!Capabilities.has(capabilities, Capabilities.CONTROLLER_READY_WITH_MEDIA)) {
            return CompletableFuture.completedFuture(timeoutMs);
        }
        return admin.propertyGet(Property.CRTO)
                .thenApply(crto -> Math.max(timeoutMs, (int) (crto & 0xFFFF) * CRTO_UNIT_MS));
    }

    private CompletableFuture<Void> waitUntilReady(int timeoutMs) {
        return admin.propertyPoll(
                        Property.CSTS,
                        csts -> ControllerStatus.isReady(csts) || ControllerStatus.isFatal(csts),
                        timeoutMs,
                        association.name() + " did not become ready")
                .thenAccept(csts -> require(
                        !ControllerStatus.isFatal(csts), "reports a fatal error (CSTS.CFS) instead of becoming ready"));
    }

    // ---- Identify

    private CompletableFuture<Void> identify() {
        return admin.identify(Cns.CONTROLLER, 0, 0).thenAccept(data -> {
            identify = IdentifyController.decode(data, 0);
            checkIdentify();
            startKeepAlive();
        });
    }

    private void checkIdentify() {
        require(
                identify.get(Field.CNTLID) == controllerId,
                "identifies itself as controller " + identify.get(Field.CNTLID) + " but was connected as "
                        + controllerId);
        if (isIoController()) {
            require(identify.get(Field.IOCCSZ) >= MIN_CAPSULE_UNITS, "has command capsules of less than 64 bytes");
            require(identify.get(Field.IORCSZ) >= 1, "has response capsules of less than 16 bytes");
            require((identify.get(Field.SGLS) & SGLS_SUPPORT_MASK) != 0, "does not support SGLs");
            String unusable = transport.unusable(identify);
            require(unusable == null, unusable);
        }
    }

    private boolean isIoController() {
        return !options.isDiscovery() && identify.get(Field.CNTRLTYPE) != IdentifyController.TYPE_DISCOVERY;
    }

    private void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new ControllerException(association.name() + " " + otherwise);
        }
    }

    private void startKeepAlive() {
        int timeoutMs = options.keepAliveTimeoutMs();
        if (timeoutMs > 0 && identify.get(Field.KAS) == 0) {
            LOG.warn(
                    "{} does not support keep alive; a dead connection will be noticed by its use only",
                    association.name());
        } else if (timeoutMs > 0) {
            keepAlive = new KeepAlive(adminQueue, timeoutMs, association::lost);
            keepAlive.start();
        }
    }

    private CompletableFuture<Void> readLimits() {
        if (!isIoController() || version < NVME_2_0) {
            limits = limits(NvmCommandSetController.allocate());
            return CompletableFuture.completedFuture(null);
        }
        return admin.identify(Cns.COMMAND_SET_CONTROLLER, 0, Csi.NVM)
                .thenApply(data -> NvmCommandSetController.decode(data, 0))
                .exceptionally(failure -> {
                    LOG.debug("{} does not tell the limits of its command set", association.name(), failure);
                    return NvmCommandSetController.allocate();
                })
                .thenAccept(nvm -> limits = limits(nvm));
    }

    private NamespaceLimits limits(NvmCommandSetController nvm) {
        long pageBytes = Capabilities.minimumPageBytes(capabilities);
        long mdtsBytes = identify.maxDataTransferBytes(Long.numberOfTrailingZeros(pageBytes) - 12);
        long ownBytes = Math.min(options.maxTransferBytes(), transport.maxTransferBytes());
        long transferBytes = mdtsBytes == 0 ? ownBytes : Math.min(mdtsBytes, ownBytes);
        long ranges = nvm.get(NvmCommandSetController.Field.DMRL);
        return new NamespaceLimits(
                transferBytes,
                limitBytes(pageBytes, nvm.get(NvmCommandSetController.Field.WZSL)),
                limitBytes(pageBytes, nvm.get(NvmCommandSetController.Field.VSL)),
                limitBytes(pageBytes, nvm.get(NvmCommandSetController.Field.WUSL)),
                ranges == 0 ? DatasetManagementCommand.MAX_RANGES : (int) ranges,
                nvm.get(NvmCommandSetController.Field.DMRSL),
                nvm.get(NvmCommandSetController.Field.DMSL));
    }

    /** @param shift 2^n pages; 0 = no limit */
    private static long limitBytes(long pageBytes, long shift) {
        return shift == 0 || shift > MAX_LIMIT_SHIFT ? 0 : pageBytes << shift;
    }

    // ---- I/O queues

    private CompletableFuture<Void> connectIoQueues() {
        if (options.ioQueues() == 0 || !isIoController()) {
            return CompletableFuture.completedFuture(null);
        }
        return admin.setFeature(FeatureId.NUMBER_OF_QUEUES, NumberOfQueues.encode(options.ioQueues()), 0)
                .thenCompose(allocated -> {
                    int granted = Math.min(
                            NumberOfQueues.submissionQueues(allocated), NumberOfQueues.completionQueues(allocated));
                    int wanted = formerQueues.isEmpty() ? options.ioQueues() : formerQueues.size();
                    int count = Math.min(granted, wanted);
                    if (count < options.ioQueues()) {
                        LOG.info("{} grants {} of {} I/O queues", association.name(), count, options.ioQueues());
                    }
                    return connectIoQueues(count);
                });
    }

    private CompletableFuture<Void> connectIoQueues(int count) {
        int sqSize = ioSqSizeZeroBased();
        CapsuleLayout capsule = transport.ioCapsule(identify);
        ioQueues = new ArrayList<>(count);
        CompletableFuture<?>[] connected = new CompletableFuture<?>[count];
        for (int i = 0; i < count; i++) {
            HostQueue queue =
                    i < formerQueues.size() ? formerQueues.get(i) : queueConnector.create(i + 1, sqSize, loops.next());
            ioQueues.add(queue);
            connected[i] =
                    queueConnector.connect(queue, new QueueSetup(queue.name(), i + 1, sqSize, controllerId, capsule));
        }
        return CompletableFuture.allOf(connected).thenRunAsync(() -> {}, association.loop());
    }

    private int ioSqSizeZeroBased() {
        int sqSize = Math.min(options.queueDepth() - 1, Capabilities.maxQueueEntriesZeroBased(capabilities));
        long maxCommands = identify.get(Field.MAXCMD);
        if (maxCommands > 0) {
            sqSize = (int) Math.min(sqSize, Math.max(1, maxCommands - 1));
        }
        require(sqSize >= 1, "has queues of a single entry (CAP.MQES 0)");
        return sqSize;
    }

    // ---- The end of it

    private Link link() {
        require(association.state() == Association.State.CONNECTING, "was lost while it was being connected");
        LOG.info(
                "{}: connected to {} as controller {}, {} I/O queues",
                association.name(),
                options.subsystemNqn(),
                controllerId,
                ioQueues.size());
        ControllerFacts facts =
                new ControllerFacts(controllerId, capabilities, version, configuration, identify, limits);
        return new Link(association, adminQueue, admin, facts, keepAlive, ioQueues);
    }

    /** Turns on the notices that the controller has and this host hands on. */
    private CompletableFuture<Void> configureEvents() {
        long notices = identify.get(Field.OAES) & AsyncEvents.NOTICES;
        if (notices == 0) {
            return CompletableFuture.completedFuture(null);
        }
        return admin.setFeature(FeatureId.ASYNC_EVENT_CONFIG, notices, 0).handle((result, failure) -> {
            if (failure != null) {
                LOG.warn("{}: {}", association.name(), Futures.cause(failure).getMessage());
            }
            return null;
        });
    }

    /** The loss of the connection is what counts, not the command that was on its way. */
    private static Throwable connectionLossOr(Throwable failure) {
        return failure.getCause() instanceof ConnectionException ? failure.getCause() : failure;
    }

    private <T> CompletableFuture<T> failed(Throwable failure) {
        CompletableFuture<T> done = new CompletableFuture<>();
        fail(done, connectionLossOr(failure));
        return done;
    }

    private void fail(CompletableFuture<?> done, Throwable failure) {
        Throwable cause = failure instanceof ConnectionException ? explained((ConnectionException) failure) : failure;
        CompletableFuture<Void> over = abandon(cause.getMessage());
        if (formerQueues.isEmpty()) {
            over = over.thenCompose(nothing -> closeNewQueues(cause));
        }
        over.thenRun(() -> done.completeExceptionally(cause));
    }

    private CompletableFuture<Void> closeNewQueues(Throwable cause) {
        ConnectionException reason = new ConnectionException(cause.getMessage(), cause);
        return association.closeIoQueues(Status.ABORTED_BY_HOST, reason);
    }

    /** A controller that has heard nothing for the keep alive timeout just ends the association. */
    private ConnectionException explained(ConnectionException loss) {
        long lastedMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - connectedNanos);
        boolean mayHaveExpired =
                connectedNanos != 0 && options.keepAliveTimeoutMs() > 0 && lastedMs >= options.keepAliveTimeoutMs();
        return !mayHaveExpired
                ? loss
                : new ConnectionException(
                        loss.getMessage() + " after " + lastedMs + " ms of connecting; the keep alive timeout of "
                                + options.keepAliveTimeoutMs()
                                + " ms may have expired meanwhile: give it more, or ask for fewer I/O queues",
                        loss);
    }
}
