package io.nvmf.target.controller;

import io.nvmf.codec.Status;
import io.nvmf.codec.fabrics.Capabilities;
import io.nvmf.codec.fabrics.ConnectCommand;
import io.nvmf.codec.fabrics.ConnectData;
import io.nvmf.codec.fabrics.ConnectResponse;
import io.nvmf.codec.fabrics.ControllerConfiguration;
import io.nvmf.codec.fabrics.ControllerStatus;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.feature.AsyncEvent;
import io.nvmf.codec.feature.AsyncEventConfig;
import io.nvmf.codec.log.SmartLog;
import io.nvmf.target.config.AnaState;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.target.controller.QueueCounters.Counter;
import io.nvmf.target.namespace.Namespace;
import io.nvmf.target.subsystem.DiscoveryAudience;
import io.nvmf.target.subsystem.Subsystem;
import io.nvmf.target.subsystem.SubsystemObserver;
import io.nvmf.target.subsystem.SubsystemPort;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A controller: one host's association with a subsystem, from the admin Connect to the end of the admin queue. Owned by
 * the admin queue's event loop, where every method must be called; exceptions say so.
 */
public final class Controller implements SubsystemObserver {
    /** VS: 2.0. */
    public static final int VERSION = 0x0002_0000;

    private static final Logger LOG = LoggerFactory.getLogger(Controller.class);
    private static final int READY_TIMEOUT_HALF_SECONDS = 15;
    /** A discovery controller whose host asks for no keep alive is not kept for ever (as other targets do). */
    private static final long DISCOVERY_KEEP_ALIVE_MS = 120_000;

    /** How far a shutdown is, in the words of CSTS.SHST. */
    private enum Shutdown {
        NONE(0),
        IN_PROGRESS(ControllerStatus.SHUTDOWN_IN_PROGRESS),
        COMPLETE(ControllerStatus.SHUTDOWN_COMPLETE);

        private final long csts;

        Shutdown(long csts) {
            this.csts = csts;
        }
    }

    /** How an attempt to attach an I/O queue ended. */
    public record Attachment(int status, long result) {}

    private final int id;
    private final SubsystemPort port;
    private final Subsystem subsystem;
    private final HostIdentity host;
    private final ControllerQueue adminQueue;
    private final ControllerTable table;
    private final TargetLimits limits;

    private final Map<Integer, ControllerQueue> ioQueues = new TreeMap<>();
    private final TreeSet<Long> changedNamespaces = new TreeSet<>();
    private final AsyncEvents asyncEvents = new AsyncEvents();
    private final KeepAlive keepAlive = new KeepAlive();
    private final ErrorLog errorLog = new ErrorLog();
    private FeatureValues features;
    private volatile ReservationNotices reservationNotices = new ReservationNotices();
    private Health health = new Health();
    private long commandsOfEndedQueues;

    private long configuration;
    private int allocatedIoQueues;
    private long commandsAtLastLook;
    private int abortsUnderWay;

    /** Read by the event loops of I/O queues as well. */
    private volatile ControllerState state = ControllerState.DISABLED;

    private volatile Shutdown shutdown = Shutdown.NONE;
    private volatile boolean closed;

    private volatile boolean writeCacheEnabled = true;

    /** @param keepAliveTimeoutMs KATO of the Connect command */
    public Controller(
            int id,
            SubsystemPort port,
            HostIdentity host,
            ControllerQueue adminQueue,
            ControllerTable table,
            TargetLimits limits,
            long keepAliveTimeoutMs,
            long nowNanos) {
        this.id = id;
        this.port = port;
        this.subsystem = port.subsystem();
        this.host = host;
        this.adminQueue = adminQueue;
        this.table = table;
        this.limits = limits;
        this.allocatedIoQueues = limits.maxIoQueues();
        this.features = new FeatureValues(nowNanos);
        keepAliveTimeout(keepAliveTimeoutMs, nowNanos);
        subsystem.addObserver(this);
    }

    /** CNTLID. Any thread. */
    public int id() {
        return id;
    }

    /** Any thread. */
    public Subsystem subsystem() {
        return subsystem;
    }

    /** Where all its queues are connected. Any thread. */
    public SubsystemPort port() {
        return port;
    }

    /** How well a namespace is reached here. Any thread. */
    public AnaState anaState(Namespace namespace) {
        return port.ana().of(namespace.anaGroup());
    }

    /** Any thread. */
    public HostIdentity host() {
        return host;
    }

    /** Any thread. */
    public ControllerQueue adminQueue() {
        return adminQueue;
    }

    /** Any thread. */
    public TargetLimits limits() {
        return limits;
    }

    /** Whether admin and I/O commands are served now. Any thread. */
    public boolean isReady() {
        return state == ControllerState.READY && shutdown == Shutdown.NONE;
    }

    /** Whether the association has ended, though commands of it may still be executed. Any thread. */
    public boolean isClosed() {
        return closed;
    }

    /** Whether writes may complete before they are durable (feature 06h). Any thread. */
    public boolean isWriteCacheEnabled() {
        return writeCacheEnabled;
    }

    public void writeCacheEnabled(boolean enabled) {
        writeCacheEnabled = enabled;
    }

    public AsyncEvents asyncEvents() {
        return asyncEvents;
    }

    public KeepAlive keepAlive() {
        return keepAlive;
    }

    /** Sets KATO, in ms, and starts the timer anew. */
    public void keepAliveTimeout(long requestedMs, long nowNanos) {
        boolean forget = subsystem.isDiscovery() && requestedMs == 0;
        keepAlive.start(forget ? DISCOVERY_KEEP_ALIVE_MS : requestedMs, nowNanos);
    }

    public ErrorLog errorLog() {
        return errorLog;
    }

    public FeatureValues features() {
        return features;
    }

    public ReservationNotices reservationNotices() {
        return reservationNotices;
    }

    public Health health() {
        return health;
    }

    // ---- properties

    public long property(Property property) {
        return switch (property) {
            case CAP -> Capabilities.encode(limits.maxQueueDepth() - 1, READY_TIMEOUT_HALF_SECONDS);
            case VS -> VERSION;
            case CC -> configuration;
            case CSTS -> state.csts() | shutdown.csts;
            case NSSR, CRTO -> throw new IllegalArgumentException(property + " does not exist here");
        };
    }

    /**
     * The host sets CC: enable, reset and shutdown (NVMe Base 2.0 s3.5 and s3.6).
     *
     * @return whether a shutdown starts: then the caller flushes every namespace and calls {@link #shutdownComplete}
     */
    public boolean configure(long cc) {
        boolean wasEnabled = ControllerConfiguration.isEnabled(configuration);
        boolean enabled = ControllerConfiguration.isEnabled(cc);
        configuration = cc;
        if (enabled && !wasEnabled) {
            enable();
        } else if (!enabled && wasEnabled) {
            reset();
        }
        boolean wanted = ControllerConfiguration.shutdownNotification(cc) != ControllerConfiguration.SHUTDOWN_NONE;
        boolean starts = wanted && shutdown == Shutdown.NONE;
        if (starts) {
            keepAlive.stop();
            shutdown = Shutdown.IN_PROGRESS;
        } else if (!wanted) {
            shutdown = Shutdown.NONE;
        }
        return starts;
    }

    /** Nothing is held back any more that the host would have to fear for. */
    public void shutdownComplete() {
        if (shutdown == Shutdown.IN_PROGRESS) {
            shutdown = Shutdown.COMPLETE;
        }
    }

    private void enable() {
        if (state == ControllerState.RESETTING) {
            return; // follows when the reset is done
        }
        String problem = configurationProblem();
        if (problem != null) {
            transition(ControllerState.FATAL, problem);
            return;
        }
        keepAlive.restart(adminQueue.nanoTime());
        transition(ControllerState.READY, "enabled");
    }

    private String configurationProblem() {
        if (ControllerConfiguration.memoryPageSize(configuration) != 0) {
            return "CC.MPS is not 0";
        }
        if (ControllerConfiguration.arbitration(configuration) != 0) {
            return "CC.AMS is not 0";
        }
        if (ControllerConfiguration.commandSet(configuration) != 0) {
            return "CC.CSS is not 0";
        }
        boolean sizes = ControllerConfiguration.submissionEntrySize(configuration)
                        == ControllerConfiguration.ENTRY_SIZE_SUBMISSION
                && ControllerConfiguration.completionEntrySize(configuration)
                        == ControllerConfiguration.ENTRY_SIZE_COMPLETION;
        return sizes || subsystem.isDiscovery() ? null : "CC.IOSQES and CC.IOCQES are not 6 and 4";
    }

    /**
     * Controller level reset: I/O queues end, features and events start anew, the admin queue stays. It is done when no
     * command of an I/O queue is executed any more: what the host writes after it is not overtaken by what came before.
     */
    private void reset() {
        transition(ControllerState.RESETTING, "reset");
        ioQueues.values().forEach(queue -> queue.close("controller reset"));
        asyncEvents.reset();
        changedNamespaces.clear();
        reservationNotices = new ReservationNotices();
        allocatedIoQueues = limits.maxIoQueues();
        writeCacheEnabled = true;
        features = new FeatureValues(adminQueue.nanoTime());
        health = new Health();
        finishReset();
    }

    private void finishReset() {
        if (state == ControllerState.RESETTING && ioQueues.isEmpty()) {
            transition(ControllerState.DISABLED, "reset done");
            if (ControllerConfiguration.isEnabled(configuration)) {
                enable();
            }
        }
    }

    private void transition(ControllerState next, String why) {
        LOG.debug("controller {} of {}: {} -> {} ({})", id, host.printableNqn(), state, next, why);
        state = next;
    }

    // ---- I/O queues

    /** Feature 07h: how many I/O queues the host may connect; it may ask before it has any. */
    public int allocatedIoQueues() {
        return allocatedIoQueues;
    }

    /** @return false when I/O queues exist already */
    public boolean allocateIoQueues(int wanted) {
        if (!ioQueues.isEmpty()) {
            return false;
        }
        allocatedIoQueues = Math.min(wanted, limits.maxIoQueues());
        return true;
    }

    /** An Abort begins. @return false when as many as there may be are under way */
    public boolean beginAbort(int limit) {
        if (abortsUnderWay == limit) {
            return false;
        }
        abortsUnderWay++;
        return true;
    }

    public void endAbort() {
        abortsUnderWay--;
    }

    /** Makes a connection one of this controller's I/O queues, when the Connect command is right. */
    public Attachment attach(ControllerQueue queue, SubsystemPort queuePort, int queueId, String hostNqn) {
        if (closed) {
            return invalid(ConnectResponse.invalidInData(ConnectData.CONTROLLER_ID_OFFSET), 0);
        }
        if (!host.hostNqn().equals(hostNqn)) {
            return invalid(ConnectResponse.invalidInData(ConnectData.CONTROLLER_ID_OFFSET), Status.DNR);
        }
        if (queuePort != port || subsystem.isDiscovery() || queueId > allocatedIoQueues) {
            return invalid(ConnectResponse.invalidInCommand(ConnectCommand.QUEUE_ID_OFFSET), Status.DNR);
        }
        if (!isReady()) {
            return invalid(ConnectResponse.invalidInCommand(ConnectCommand.QUEUE_ID_OFFSET), 0);
        }
        if (ioQueues.putIfAbsent(queueId, queue) != null) {
            return new Attachment(Status.COMMAND_SEQUENCE_ERROR, 0);
        }
        return new Attachment(Status.SUCCESS, ConnectResponse.success(id));
    }

    private static Attachment invalid(long result, int flags) {
        return new Attachment(Status.CONNECT_INVALID_PARAMETERS | flags, result);
    }

    /** The I/O queue with this id, or null. */
    public ControllerQueue ioQueue(int queueId) {
        return ioQueues.get(queueId);
    }

    /** The connection of a queue has ended. Without its admin queue the controller ends. */
    public void ended(ControllerQueue queue) {
        if (queue == adminQueue) {
            close("admin queue ended");
        }
    }

    /** No command of a queue is executed any more. */
    public void drained(ControllerQueue queue) {
        if (ioQueues.values().remove(queue)) {
            commandsOfEndedQueues += queue.counters().get(Counter.COMMANDS);
        }
        finishReset();
        forgetWhenDrained();
    }

    private void forgetWhenDrained() {
        if (closed && ioQueues.isEmpty()) {
            table.remove(this);
        }
    }

    /**
     * Aborts the commands on a namespace that are not executed yet. Any thread.
     *
     * @return ends, on any thread, when no other of them is executed any more
     */
    public CompletableFuture<Void> abortCommands(long nsid) {
        return CompletableFuture.supplyAsync(
                        () -> ioQueues.values().stream()
                                .map(queue -> queue.abortCommands(nsid))
                                .toArray(CompletableFuture<?>[]::new),
                        adminQueue.loop())
                .thenCompose(CompletableFuture::allOf);
    }

    // ---- events and time

    @Override
    public void onNamespaceAttributeChanged(long nsid) {
        adminQueue.loop().execute(() -> {
            changedNamespaces.add(nsid);
            asyncEvents.occurred(AsyncEvent.NAMESPACE_ATTRIBUTE_CHANGED, AsyncEventConfig.NAMESPACE_ATTRIBUTE);
        });
    }

    @Override
    public void onAnaChanged(SubsystemPort where) {
        if (where == null || where == port) {
            adminQueue.loop().execute(() -> asyncEvents.occurred(AsyncEvent.ANA_CHANGE, AsyncEventConfig.ANA_CHANGE));
        }
    }

    @Override
    public void onHealthChanged() {
        adminQueue.loop().execute(this::reportHealth);
    }

    /** Tells the host of critical warnings that it wants to know and does not know yet. */
    public void reportHealth() {
        int warnings = health.criticalWarnings(subsystem.namespaces().all());
        int news = health.unreported(warnings, asyncEvents.config());
        if ((news & SmartLog.WARNING_TEMPERATURE) != 0) {
            asyncEvents.occurred(AsyncEvent.SMART_TEMPERATURE, SmartLog.WARNING_TEMPERATURE);
        }
        int reliability = news & (SmartLog.WARNING_DEGRADED | SmartLog.WARNING_READ_ONLY);
        if (reliability != 0) {
            asyncEvents.occurred(AsyncEvent.SMART_RELIABILITY, reliability);
        }
    }

    @Override
    public void onDiscoveryLogChanged(DiscoveryAudience audience) {
        if (audience.sees(host.hostNqn(), adminQueue.localAddress())) {
            adminQueue
                    .loop()
                    .execute(() -> asyncEvents.occurred(
                            AsyncEvent.DISCOVERY_LOG_CHANGE, AsyncEventConfig.DISCOVERY_LOG_CHANGE));
        }
    }

    @Override
    public void onReservationNotice(long nsid, int type, Set<UUID> hostIds) {
        if (hostIds.contains(host.hostId()) && !reservationNotices.isMasked(nsid, type)) {
            adminQueue.loop().execute(() -> {
                reservationNotices.add(nsid, type);
                asyncEvents.occurred(AsyncEvent.RESERVATION_LOG_AVAILABLE);
            });
        }
    }

    /** The host has read a page of log 80h; when there are more it is told anew. */
    public void reservationNoticeRead() {
        if (reservationNotices.read()) {
            asyncEvents.occurred(AsyncEvent.RESERVATION_LOG_AVAILABLE);
        }
    }

    /** NSIDs that changed since the host last read log page 04h, ascending. */
    public long[] changedNamespaces() {
        return changedNamespaces.stream().mapToLong(Long::longValue).toArray();
    }

    /** The host has read log page 04h. */
    public void clearChangedNamespaces() {
        changedNamespaces.clear();
    }

    /**
     * Ends the association when the host has been silent for longer than KATO. Any command that came since the last look is
     * a sign of life (TBKAS).
     */
    public void checkKeepAlive(long nowNanos) {
        long commands = commandsReceived();
        if (commands != commandsAtLastLook) {
            commandsAtLastLook = commands;
            keepAlive.touch(nowNanos);
        }
        if (!closed && keepAlive.hasExpired(nowNanos)) {
            transition(ControllerState.FATAL, "keep alive timeout");
            LOG.warn(
                    "{} ({}): no keep alive for {} ms, ending controller {}",
                    adminQueue.peer(),
                    host.printableNqn(),
                    keepAlive.timeoutMs(),
                    id);
            close("keep alive timeout");
            adminQueue.close("keep alive timeout");
        }
    }

    private long commandsReceived() {
        long received = adminQueue.counters().get(Counter.COMMANDS) + commandsOfEndedQueues;
        for (ControllerQueue queue : ioQueues.values()) {
            received += queue.counters().get(Counter.COMMANDS);
        }
        return received;
    }

    private void close(String reason) {
        if (closed) {
            return;
        }
        closed = true;
        state = ControllerState.DISABLED;
        LOG.info(
                "{}: host {} left {}, controller {} ends: {}",
                adminQueue.peer(),
                host.printableNqn(),
                subsystem.nqn(),
                id,
                reason);
        subsystem.removeObserver(this);
        ioQueues.values().forEach(queue -> queue.close(reason));
        asyncEvents.reset();
        forgetWhenDrained();
    }
}
