package io.nvmf.initiator.multipath;

import io.nvmf.codec.Status;
import io.nvmf.codec.identify.NamespaceDescriptors;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.controller.ControllerException;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.initiator.namespace.NamespaceLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A namespace of one subsystem that is reached through several controllers, over whatever transports: {@link #namespace}
 * is used as the one of a single controller. Each request takes an optimized path (ANA), or one that is not when there is
 * no better; when it fails with its path it takes another, and waits a bounded time when there is none. A path carries
 * requests again when its controller is connected again, so connect controllers with {@link
 * io.nvmf.initiator.controller.ConnectOptions#controllerLossTimeoutMs}. Any thread; nothing is closed here but by whoever
 * connected the controllers.
 *
 * <p>As with the Linux host, a write whose connection was lost is sent over another path while the controller that had it
 * may not yet know of the loss: until it does, which may take it the keep alive timeout, it may still carry it out, also
 * after a later write to the same blocks.
 */
public final class MultipathNamespace {
    private final PathSelector selector;
    private final NamespaceDescriptors identity;
    private final String subsystemNqn;
    private final Namespace namespace;

    private MultipathNamespace(Path first, NamespaceDescriptors identity, PathPolicy policy, long waitMs) {
        this.identity = identity;
        subsystemNqn = first.controller().subsystemNqn();
        String name = "Namespace " + first.namespace().nsid() + " of " + subsystemNqn;
        selector = new PathSelector(
                name, policy, waitMs, first.namespace().queues().select().loop());
        selector.paths(List.of(first));
        namespace = first.namespace().over(selector);
        listenTo(first);
    }

    private void listenTo(Path path) {
        path.namespace().addChangeListener(this::onPathChanged);
        path.controller().ended().thenRun(selector::onControllerEnded);
    }

    /**
     * Reaches a namespace through the controllers.
     *
     * @param controllers connected, with I/O queues, of the same subsystem
     * @param waitMs how long a request may wait for a path, counted from its first failure
     * @throws io.nvmf.initiator.transport.NvmfException if one of them has no such namespace, or another one
     */
    public static MultipathNamespace open(List<Controller> controllers, long nsid, PathPolicy policy, long waitMs) {
        if (controllers.isEmpty()) {
            throw new IllegalArgumentException("A namespace needs at least one path");
        }
        Controller first = controllers.get(0);
        MultipathNamespace multipath = new MultipathNamespace(
                new Path(first, first.namespace(nsid)), first.namespaceDescriptors(nsid), policy, waitMs);
        controllers.subList(1, controllers.size()).forEach(multipath::addPath);
        return multipath;
    }

    /** The namespace over all paths. */
    public Namespace namespace() {
        return namespace;
    }

    public List<Path> paths() {
        return selector.paths();
    }

    /**
     * Uses another controller as well. Waits; not on an event loop.
     *
     * @throws ControllerException if it does not lead to the same namespace
     */
    public void addPath(Controller controller) {
        Path path = new Path(controller, controller.namespace(namespace.nsid()));
        requireSame(path, controller.namespaceDescriptors(namespace.nsid()));
        synchronized (this) {
            List<Path> paths = new ArrayList<>(selector.paths());
            paths.removeIf(known -> known.controller() == controller);
            paths.add(path);
            selector.paths(paths);
        }
        listenTo(path);
        onPathChanged();
    }

    /** As {@link #addPath}; completes on another thread. */
    public CompletableFuture<Void> addPathAsync(Controller controller) {
        return CompletableFuture.runAsync(() -> addPath(controller));
    }

    /** Uses a controller no longer; what is out there goes on. The last path stays. */
    public synchronized void removePath(Controller controller) {
        List<Path> paths = new ArrayList<>(selector.paths());
        paths.removeIf(path -> path.controller() == controller);
        if (!paths.isEmpty()) {
            selector.paths(paths);
        }
    }

    private void requireSame(Path path, NamespaceDescriptors ids) {
        if (!path.controller().subsystemNqn().equals(subsystemNqn)) {
            throw new ControllerException(path.controller() + " belongs to another subsystem than " + subsystemNqn);
        }
        boolean identified = ids.identify();
        if (!identified || !ids.equals(identity)) {
            throw new ControllerException("Namespace " + namespace.nsid() + " of " + path.controller()
                    + (identified ? " is another one: its identifiers differ" : " has no identifiers to know it by"));
        }
        if (path.namespace().blockSizeBytes() != namespace.blockSizeBytes()) {
            throw new ControllerException(
                    "Namespace " + namespace.nsid() + " of " + path.controller() + " has blocks of another size");
        }
    }

    /** The size is the one that a path told last; commands are as large as every path takes. */
    private synchronized void onPathChanged() {
        List<Path> paths = selector.paths();
        NamespaceLimits limits = null;
        Path newest = null;
        for (Path path : paths) {
            if (Status.isSuccess(path.namespace().refusal())) {
                limits = limits == null
                        ? path.namespace().limits()
                        : limits.and(path.namespace().limits());
                newest = newest == null
                                || path.namespace().changedNanos()
                                                - newest.namespace().changedNanos()
                                        > 0
                        ? path
                        : newest;
            }
        }
        if (newest == null) {
            namespace.retire(paths.get(0).namespace().refusal());
        } else {
            namespace.update(newest.namespace().identify(), limits);
        }
    }

    @Override
    public String toString() {
        return "Namespace " + namespace.nsid() + " of " + subsystemNqn + " over " + selector.paths();
    }
}
