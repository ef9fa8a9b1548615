package io.nvmf.tools.nbd;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.nvmf.tools.SocketFile;
import io.nvmf.transport.EventLoops;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves one export at one address. Any thread may call its methods. */
public final class NbdServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NbdServer.class);

    /** What requests may take up together, over all connections. */
    public static final int BUDGET_BYTES = 4 * NbdExport.USUAL_MAX_REQUEST_BYTES;
    /** Requests of clients that are carried out at a time. */
    static final int BUDGET_REQUESTS = 512;
    /** Requests that the namespace may get at a time: one for whole blocks, and one for each end that is part of a block. */
    public static final int NAMESPACE_REQUESTS = 3 * BUDGET_REQUESTS;

    private static final int MAX_CONNECTIONS = 128;

    private final Channel listening;
    private final ChannelGroup connections;
    /** Null when it listens on TCP. */
    private final SocketFile file;

    private NbdServer(Channel listening, ChannelGroup connections, SocketFile file) {
        this.listening = listening;
        this.connections = connections;
        this.file = file;
    }

    /**
     * Listens. Blocks.
     *
     * @param loops of one thread, which owns everything; they must outlive what the namespace has to do for the server
     * @throws IOException if the address cannot be listened on
     */
    public static NbdServer open(EventLoops loops, NbdAddress address, NbdExport export) throws IOException {
        if (loops.threads() != 1) {
            throw new IllegalArgumentException("a server of NBD has one event loop, not " + loops.threads());
        }
        Served served = new Served(export, new Budget(BUDGET_BYTES, BUDGET_REQUESTS), new ChangeOrder());
        ChannelGroup connections = new DefaultChannelGroup(loops.next());
        ServerBootstrap bootstrap = address.bootstrap(loops).childHandler(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                if (connections.size() >= MAX_CONNECTIONS) {
                    channel.close();
                    return;
                }
                connections.add(channel);
                channel.pipeline().addLast(new NbdConnection(channel, address.peer(channel), served));
            }
        });
        return address.path() == null
                ? openTcp(bootstrap, address, connections)
                : openUnix(bootstrap, address.path(), loops, connections);
    }

    private static NbdServer openTcp(ServerBootstrap bootstrap, NbdAddress address, ChannelGroup connections)
            throws IOException {
        try {
            return new NbdServer(bind(bootstrap, address.tcp()), connections, null);
        } catch (IOException e) {
            throw new IOException("cannot listen on " + address + ": " + e.getMessage(), e);
        }
    }

    private static NbdServer openUnix(ServerBootstrap bootstrap, Path path, EventLoops loops, ChannelGroup connections)
            throws IOException {
        Channel[] bound = new Channel[1];
        SocketFile file = null;
        try {
            file = SocketFile.open(path, name -> bound[0] = bind(bootstrap, loops.localAddress(name)));
            return new NbdServer(bound[0], connections, file);
        } finally {
            if (file == null && bound[0] != null) {
                bound[0].close().awaitUninterruptibly();
            }
        }
    }

    private static Channel bind(ServerBootstrap bootstrap, SocketAddress address) throws IOException {
        ChannelFuture bound = bootstrap.bind(address).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException(bound.cause().getMessage(), bound.cause());
        }
        return bound.channel();
    }

    /** With the port that was taken. */
    public SocketAddress localAddress() {
        return listening.localAddress();
    }

    /** How many clients are connected. */
    public int connections() {
        return connections.size();
    }

    /** Stops listening, deletes the name of a UNIX socket, and closes every connection. What the namespace has to do for them goes on. Blocks. */
    @Override
    public void close() {
        listening.close().awaitUninterruptibly();
        deleteFile();
        connections.close().awaitUninterruptibly();
    }

    private void deleteFile() {
        try {
            if (file != null) {
                file.close();
            }
        } catch (IOException e) {
            LOG.warn("{} could not be deleted: {}", file.path(), e.getMessage());
        }
    }
}
