package io.nvmf.tools;

import io.nvmf.codec.identify.IdentifyController.Field;
import io.nvmf.initiator.NvmfHost;
import io.nvmf.initiator.controller.ConnectOptions;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.multipath.MultipathNamespace;
import io.nvmf.initiator.multipath.PathPolicy;
import io.nvmf.initiator.queue.QueueSelection;
import io.nvmf.tools.nbd.NbdServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The controllers through which a namespace is exported. One that cannot be connected at first is tried again as one that
 * is lost is, and left out when its time is over. Owned by the thread that opens it; a thread of its own connects the late.
 */
final class ExportPaths implements AutoCloseable {
    /** A namespace that no controller reaches is waited for at least so long, though its controllers are there (ANA). */
    private static final long MIN_WAIT_MS = 30_000;

    private final NvmfHost host;
    private final Console console;
    private final List<Controller> controllers;
    private final List<CompletableFuture<String>> ends = new ArrayList<>();
    private final MultipathNamespace namespace;
    private final List<Thread> connecting = new ArrayList<>();

    private ExportPaths(NvmfHost host, Console console, List<Controller> controllers, MultipathNamespace namespace) {
        this.host = host;
        this.console = console;
        this.controllers = controllers;
        this.namespace = namespace;
        controllers.forEach(controller -> ends.add(endOf(controller)));
    }

    /** Connects to all. Blocks; fails if none is there. */
    static ExportPaths open(NvmfHost host, List<HostOptions> paths, PathPolicy policy, Console console)
            throws Exception {
        List<Controller> controllers = new ArrayList<>();
        List<HostOptions> missing = new ArrayList<>();
        Exception failure = null;
        for (HostOptions path : paths) {
            try {
                controllers.add(connect(host, path));
            } catch (CommandException | RuntimeException e) {
                failure = e;
                missing.add(path);
                if (paths.size() > 1) {
                    console.warn("there is no path by " + path.place() + " yet: " + Failures.sentence(e));
                }
            }
        }
        if (controllers.isEmpty()) {
            throw failure;
        }
        HostOptions first = paths.get(0);
        long nsid = Namespaces.choose(controllers.get(0), first.nsid()).nsid();
        long lossMs = first.lossTimeoutMs() < 0 ? Long.MAX_VALUE : first.lossTimeoutMs();
        ExportPaths opened = new ExportPaths(
                host,
                console,
                controllers,
                MultipathNamespace.open(controllers, nsid, policy, Math.max(lossMs, MIN_WAIT_MS)));
        missing.forEach(opened::connectLater);
        return opened;
    }

    private static Controller connect(NvmfHost host, HostOptions path) throws CommandException {
        ConnectOptions options = path.reconnecting(path.connectIo())
                .waitingRequests(NbdServer.NAMESPACE_REQUESTS)
                .queueSelection(QueueSelection.ROUND_ROBIN);
        return path.connect(host, options);
    }

    private static CompletableFuture<String> endOf(Controller controller) {
        return controller.ended().thenApply(Throwable::getMessage);
    }

    MultipathNamespace namespace() {
        return namespace;
    }

    String subsystemNqn() {
        return controllers.get(0).subsystemNqn();
    }

    /** How many there are at first. */
    int count() {
        return controllers.size();
    }

    /** Whether every controller has an optional command, see ONCS. */
    boolean support(long command) {
        return controllers.stream().allMatch(each -> (each.identify().get(Field.ONCS) & command) != 0);
    }

    /** Completes, with the reasons, when the last is given up. */
    CompletableFuture<String> ended() {
        return CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
                .thenApply(nothing -> String.join(
                        "; ", ends.stream().map(CompletableFuture::join).toList()));
    }

    // ---- Those that were not there

    private void connectLater(HostOptions path) {
        CompletableFuture<String> end = new CompletableFuture<>();
        ends.add(end);
        Thread thread = new Thread(() -> connectLater(path, end), "nvmf-path-" + path.place());
        thread.setDaemon(true);
        connecting.add(thread);
        thread.start();
    }

    private void connectLater(HostOptions path, CompletableFuture<String> end) {
        String last = path.place() + " was never reached";
        try {
            long startNanos = System.nanoTime();
            long lossMs = path.lossTimeoutMs();
            while (lossMs < 0 || System.nanoTime() - startNanos < TimeUnit.MILLISECONDS.toNanos(lossMs)) {
                Thread.sleep(path.reconnectDelayMs());
                Controller controller;
                try {
                    controller = connect(host, path);
                } catch (CommandException | RuntimeException e) {
                    last = Failures.sentence(e);
                    continue;
                }
                join(controller);
                controller.ended().thenAccept(reason -> end.complete(reason.getMessage()));
                return;
            }
            console.warn("the path by " + path.place() + " is given up: " + last);
        } catch (InterruptedException e) {
            last = "this host is closed";
        } catch (CommandException | RuntimeException e) {
            last = Failures.sentence(e);
            console.warn("the path by " + path.place() + " is left out: " + last);
        }
        end.complete(last);
    }

    private void join(Controller controller) {
        boolean joined = false;
        try {
            namespace.addPath(controller);
            joined = true;
        } finally {
            if (!joined) {
                controller.disconnectAsync();
            }
        }
    }

    /** Connects to no more; the controllers are the host's. */
    @Override
    public void close() {
        connecting.forEach(Thread::interrupt);
    }
}
