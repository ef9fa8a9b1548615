package io.nvmf.it.linux;

import static org.awaitility.Awaitility.await;

import io.nvmf.codec.log.AnaLog;
import io.nvmf.initiator.NvmfHost;
import io.nvmf.initiator.controller.ConnectOptions;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.discovery.DiscoveryReader;
import io.nvmf.initiator.discovery.DiscoveryResult;
import io.nvmf.initiator.multipath.MultipathNamespace;
import io.nvmf.initiator.multipath.PathPolicy;
import io.nvmf.initiator.namespace.Namespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Our host with two paths to namespace 1 of a target in the guest, and with its discovery controller, as a guest's script
 * commands it. Used by the thread that runs the guest.
 */
final class StayingHost implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final int LIMIT_MS = (int) LIMIT.toMillis();
    private static final Map<String, Integer> ANA_STATES = Map.of(
            "optimized", AnaLog.STATE_OPTIMIZED,
            "non-optimized", AnaLog.STATE_NON_OPTIMIZED,
            "inaccessible", AnaLog.STATE_INACCESSIBLE,
            "change", AnaLog.STATE_CHANGE);

    private final String nqn;
    private final int[] ports;
    private final NvmfHost host =
            NvmfHost.builder().hostId(UUID.randomUUID()).ioThreads(2).build();
    private final List<Controller> controllers = new ArrayList<>();
    private final BlockingQueue<Object> discoveryEvents = new LinkedBlockingQueue<>();
    private final VerifiedLoad load = new VerifiedLoad(System.nanoTime());
    private MultipathNamespace multipath;
    private Controller discovery;
    private DiscoveryResult discovered;

    StayingHost(String nqn, int... ports) {
        this.nqn = nqn;
        this.ports = ports;
    }

    /** What a script may ask for; each answers when it is so, or fails in time. */
    Map<String, Guest.Answer> verbs() {
        return Map.of(
                "connect", none -> connect(),
                "load", over -> load(over),
                "end-load", none -> load.end(),
                "await-live", path -> until("is not live", controller(path)::isLive),
                "await-lost",
                        path -> until("is not lost", () -> !controller(path).isLive()),
                "await-ana", this::awaitAna,
                "await-listed", what -> awaitListed(what, true),
                "await-unlisted", what -> awaitListed(what, false),
                "disconnect", none -> disconnect());
    }

    private ConnectOptions patient(ConnectOptions options) {
        return options.connectTimeoutMs(LIMIT_MS)
                .adminTimeoutMs(LIMIT_MS)
                .controllerLossTimeoutMs(LIMIT_MS)
                .reconnectDelayMs(200, 1000);
    }

    private String connect() {
        for (int port : ports) {
            controllers.add(host.connect(
                    patient(ConnectOptions.tcp("127.0.0.1", port, nqn)).ioQueues(1)));
        }
        multipath = MultipathNamespace.open(controllers, 1, PathPolicy.ROUND_ROBIN, LIMIT_MS);
        discovery = host.connect(patient(ConnectOptions.discovery(
                        ConnectOptions.tcp("127.0.0.1", ports[0], nqn).remote()))
                .keepAliveTimeoutMs(LIMIT_MS)
                .eventListener(discoveryEvents::add));
        discovered = readLog();
        return "";
    }

    private Controller controller(String path) {
        return controllers.get(Integer.parseInt(path) - 1);
    }

    private String load(String over) {
        Namespace namespace =
                over.equals("both") ? multipath.namespace() : controller(over).namespace(1);
        load.start(namespace);
        return "";
    }

    private static String until(String otherwise, Callable<Boolean> condition) {
        await(otherwise).atMost(LIMIT).until(condition);
        return "";
    }

    /** @param arguments a path and a state's name */
    private String awaitAna(String arguments) {
        String[] words = arguments.split(" ");
        Namespace namespace =
                multipath.paths().get(Integer.parseInt(words[0]) - 1).namespace();
        return until("is not " + words[1], () -> namespace.anaState() == ANA_STATES.get(words[1]));
    }

    /** Reads the log only when told of a change, so that a change that is not told fails. */
    private String awaitListed(String what, boolean listed) throws InterruptedException {
        while (isListed(what) != listed) {
            if (discoveryEvents.poll(LIMIT.toSeconds(), TimeUnit.SECONDS) == null) {
                throw new IllegalStateException("nobody told of a change; the log was " + discovered);
            }
            discovered = readLog();
        }
        return "";
    }

    private DiscoveryResult readLog() {
        return new DiscoveryReader(discovery).read().join();
    }

    private boolean isListed(String what) {
        return discovered.entries().stream()
                .anyMatch(entry -> entry.subsystemNqn().equals(what)
                        || entry.transportAddress().equals(what));
    }

    /** Saves what was written to the beginning of the namespace. */
    String save(Path file) throws IOException {
        Files.write(file, load.written());
        return "";
    }

    private String disconnect() {
        discovery.close();
        controllers.forEach(Controller::close);
        return "";
    }

    /** Ends a load, too: its requests fail. */
    @Override
    public void close() {
        host.close();
    }
}
