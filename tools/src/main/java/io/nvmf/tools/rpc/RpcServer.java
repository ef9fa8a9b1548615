package io.nvmf.tools.rpc;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.nvmf.tools.SocketFile;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers JSON-RPC 2.0 on a UNIX socket, each client on a thread of its own, so that one that sends rubbish, or does not
 * take its answers, troubles nobody but itself. Thread safe.
 */
public final class RpcServer implements AutoCloseable {
    static final int MAX_CLIENTS = 32;

    private static final Logger LOG = LoggerFactory.getLogger(RpcServer.class);

    private final ServerSocketChannel channel;
    private final SocketFile socket;
    private final RpcDispatcher dispatcher;
    private final Set<SocketChannel> clients = ConcurrentHashMap.newKeySet();

    private RpcServer(ServerSocketChannel channel, SocketFile socket, RpcDispatcher dispatcher) {
        this.channel = channel;
        this.socket = socket;
        this.dispatcher = dispatcher;
    }

    /**
     * Begins to answer.
     *
     * @throws IOException when the socket cannot be listened on; the message is one sentence
     */
    public static RpcServer start(Path path, TargetMethods methods) throws IOException {
        return start(path, methods.table());
    }

    static RpcServer start(Path path, Map<String, RpcMethod> methods) throws IOException {
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        RpcServer server = null;
        try {
            SocketFile socket = SocketFile.open(path, name -> channel.bind(UnixDomainSocketAddress.of(name)));
            server = new RpcServer(channel, socket, new RpcDispatcher(methods));
        } finally {
            if (server == null) {
                channel.close();
            }
        }
        server.startThread("nvmf-rpc", server::acceptAll);
        return server;
    }

    private void startThread(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void acceptAll() {
        while (true) {
            try {
                SocketChannel client = channel.accept();
                if (clients.size() == MAX_CLIENTS) {
                    LOG.warn("{}: a client is refused, there are {} already", socket.path(), MAX_CLIENTS);
                    client.close();
                    continue;
                }
                clients.add(client);
                startThread("nvmf-rpc-client", () -> serve(client));
            } catch (ClosedChannelException e) {
                return;
            } catch (IOException | OutOfMemoryError e) {
                LOG.error("{} takes no clients any more", socket.path(), e);
                return;
            }
        }
    }

    private void serve(SocketChannel client) {
        try (client) {
            answerAll(new JsonStream(client));
        } catch (ClosedChannelException e) {
            LOG.debug("a client's connection was closed");
        } catch (IOException | RuntimeException e) {
            LOG.warn("{}: a client's connection ends: {}", socket.path(), e.getMessage());
        } finally {
            clients.remove(client);
        }
    }

    private void answerAll(JsonStream stream) throws IOException {
        while (true) {
            JsonNode message;
            try {
                message = stream.read();
            } catch (JsonProcessingException e) {
                // Where the next value would begin is not known: this is the last answer.
                stream.write(RpcDispatcher.failure(
                        null, new RpcException(RpcException.PARSE_ERROR, "Parse error: this is no JSON")));
                return;
            }
            if (message == null) {
                return;
            }
            JsonNode answer = dispatcher.answer(message);
            if (answer != null) {
                stream.write(answer);
            }
        }
    }

    /** Stops listening and ends every client's connection; a method that runs goes on to its end. */
    @Override
    public void close() throws IOException {
        channel.close();
        socket.close();
        for (SocketChannel client : clients) {
            client.close();
        }
    }
}
