package io.nvmf.tools.nbd;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.nvmf.transport.EventLoops;
import java.io.IOException;
import java.net.SocketAddress;

/** Serves one export at one address. Any thread may call its methods. */
public final class NbdServer implements AutoCloseable {
    /** What requests may take up together, over all connections. */
    public static final int BUDGET_BYTES = 4 * NbdExport.USUAL_MAX_REQUEST_BYTES;
    /** Requests that are outstanding at the namespace at most. */
    public static final int BUDGET_REQUESTS = 512;

    private static final int MAX_CONNECTIONS = 128;

    private final Channel listening;
    private final ChannelGroup connections;

    private NbdServer(Channel listening, ChannelGroup connections) {
        this.listening = listening;
        this.connections = connections;
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
        Budget budget = new Budget(BUDGET_BYTES, BUDGET_REQUESTS);
        ChannelGroup connections = new DefaultChannelGroup(loops.next());
        ChannelFuture bound = address.bootstrap(loops)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (connections.size() >= MAX_CONNECTIONS) {
                            channel.close();
                            return;
                        }
                        connections.add(channel);
                        channel.pipeline().addLast(new NbdConnection(channel, address.peer(channel), export, budget));
                    }
                })
                .bind(address.socketAddress(loops))
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException(
                    "cannot listen on " + address + ": " + bound.cause().getMessage(), bound.cause());
        }
        return new NbdServer(bound.channel(), connections);
    }

    /** With the port that was taken. */
    public SocketAddress localAddress() {
        return listening.localAddress();
    }

    /** How many clients are connected. */
    public int connections() {
        return connections.size();
    }

    /** Stops listening and closes every connection. What the namespace has to do for them goes on. Blocks. */
    @Override
    public void close() {
        listening.close().awaitUninterruptibly();
        connections.close().awaitUninterruptibly();
    }
}
