package io.nvmf.tools.rpc;

import io.nvmf.tools.SocketFile;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers JSON-RPC 2.0 on a UNIX socket, each client on a thread of its own, so that one that sends rubbish, or does not
 * take its answers, troubles nobody but itself. Thread safe.
 */
public final class RpcServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RpcServer.class);
    /** How often is looked for clients that are late. */
    private static final long MAX_WATCH_INTERVAL_MS = 1000;

    private final ServerSocketChannel channel;
    private final SocketFile socket;
    private final RpcDispatcher dispatcher;
    private final RpcLimits limits;
    private final Selector selector = Selector.open();
    private final Set<RpcConnection> clients = ConcurrentHashMap.newKeySet();

    private RpcServer(ServerSocketChannel channel, SocketFile socket, RpcDispatcher dispatcher, RpcLimits limits)
            throws IOException {
        this.channel = channel;
        this.socket = socket;
        this.dispatcher = dispatcher;
        this.limits = limits;
    }

    /**
     * Begins to answer.
     *
     * @throws IOException when the socket cannot be listened on; the message is one sentence
     */
    public static RpcServer start(Path path, TargetMethods methods) throws IOException {
        return start(path, methods.table(), RpcLimits.DEFAULT);
    }

    static RpcServer start(Path path, Map<String, RpcMethod> methods, RpcLimits limits) throws IOException {
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        RpcServer server = null;
        try {
            SocketFile socket = SocketFile.open(path, name -> channel.bind(UnixDomainSocketAddress.of(name)));
            server = new RpcServer(channel, socket, new RpcDispatcher(methods), limits);
            channel.configureBlocking(false);
            channel.register(server.selector, SelectionKey.OP_ACCEPT);
        } finally {
            if (server == null) {
                channel.close();
            }
        }
        startThread("nvmf-rpc", server::acceptAndWatch);
        return server;
    }

    private static void startThread(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void acceptAndWatch() {
        long intervalMs = Math.max(1, Math.min(MAX_WATCH_INTERVAL_MS, Math.min(limits.idleMs(), limits.owedMs()) / 4));
        while (channel.isOpen()) {
            try {
                selector.select(intervalMs);
                selector.selectedKeys().clear();
                SocketChannel client = channel.accept();
                if (client != null) {
                    admit(client);
                }
                for (RpcConnection each : clients) {
                    each.endWhenLate(limits);
                }
            } catch (ClosedChannelException | ClosedSelectorException e) {
                LOG.debug("a client, or the server, was closed meanwhile");
            } catch (IOException | OutOfMemoryError e) {
                // Too many files are open, say: that may pass.
                LOG.warn("{}: a client could not be served: {}", socket.path(), e.toString());
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(MAX_WATCH_INTERVAL_MS));
            }
        }
    }

    private void admit(SocketChannel channel) throws IOException {
        RpcConnection client = new RpcConnection(channel, dispatcher);
        boolean started = false;
        try {
            if (clients.size() >= limits.clients() && !endLongestWaiting()) {
                client.refuse("all " + limits.clients() + " clients there may be have methods running: try again");
                return;
            }
            clients.add(client);
            startThread("nvmf-rpc-client", () -> serve(client));
            started = true;
        } finally {
            if (!started) {
                clients.remove(client);
                client.close();
            }
        }
    }

    /** Returns false when none keeps the server waiting. */
    private boolean endLongestWaiting() throws IOException {
        Optional<RpcConnection> longest = clients.stream().max(Comparator.comparingLong(RpcConnection::waitingMs));
        if (longest.isEmpty() || !longest.get().endUnlessBusy()) {
            return false;
        }
        LOG.info("{}: the client that was idle longest is ended, for another comes", socket.path());
        clients.remove(longest.get());
        return true;
    }

    private void serve(RpcConnection client) {
        try {
            client.answerAll();
        } catch (ClosedChannelException e) {
            LOG.debug("a client's connection was closed");
        } catch (IOException | RuntimeException e) {
            LOG.warn("{}: a client's connection ends: {}", socket.path(), e.getMessage());
        } finally {
            clients.remove(client);
            close(client);
        }
    }

    private void close(RpcConnection client) {
        try {
            client.close();
        } catch (IOException e) {
            LOG.debug("closing a client's connection: {}", e.getMessage());
        }
    }

    /** Stops listening and ends every client's connection; a method that runs goes on to its end. */
    @Override
    public void close() throws IOException {
        channel.close();
        selector.close();
        socket.close();
        clients.forEach(this::close);
    }
}
