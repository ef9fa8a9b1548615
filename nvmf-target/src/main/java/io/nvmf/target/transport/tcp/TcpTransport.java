package io.nvmf.target.transport.tcp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.nvmf.target.command.CommandTable;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.discovery.Listener;
import io.nvmf.target.queue.TargetLoop;
import io.nvmf.target.subsystem.Subsystem;
import io.nvmf.target.transport.ConnectionGroup;
import io.nvmf.target.transport.ConnectionLimit;
import io.nvmf.target.transport.PeerNames;
import io.nvmf.transport.EventLoops;
import io.nvmf.transport.tcp.ReceiveBuffers;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The listening sockets of a target, and the connections that came through them. Thread safe. */
public final class TcpTransport {
    private final EventLoops eventLoops;
    private final CommandTable commands;
    private final Map<EventLoop, TargetLoop> loops = new IdentityHashMap<>();
    private final Map<EventLoop, ConnectionGroup> groups = new IdentityHashMap<>();
    private final Map<Listener, Channel> listening = new LinkedHashMap<>();
    private final ConnectionLimit limit;

    /** @param limit of the connections there may be, over all transports */
    public TcpTransport(
            EventLoops eventLoops, Collection<TargetLoop> loops, CommandTable commands, ConnectionLimit limit) {
        this.limit = limit;
        this.eventLoops = eventLoops;
        this.commands = commands;
        for (TargetLoop loop : loops) {
            this.loops.put(loop.loop(), loop);
            groups.put(loop.loop(), new ConnectionGroup(loop));
        }
    }

    /**
     * Opens a listening socket; hosts are let in from now on.
     *
     * @param subsystems those reached here
     * @throws IOException when the address cannot be listened on; the message is one sentence
     */
    public synchronized Listener listen(ListenerConfig config, List<Subsystem> subsystems) throws IOException {
        Acceptor acceptor = new Acceptor();
        ChannelFuture bound = eventLoops
                .serverBootstrap()
                .option(ChannelOption.AUTO_READ, false)
                .childHandler(acceptor)
                .bind(config.address())
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException(
                    "cannot listen on " + PeerNames.of(config.address()) + ": " + BindFailures.reason(bound.cause()),
                    bound.cause());
        }
        Channel channel = bound.channel();
        int port = ((InetSocketAddress) channel.localAddress()).getPort();
        acceptor.listener =
                new Listener(config, new InetSocketAddress(config.address().getAddress(), port), subsystems);
        listening.put(acceptor.listener, channel);
        channel.config().setAutoRead(true);
        return acceptor.listener;
    }

    /** Makes a queue of each connection that comes in. */
    private final class Acceptor extends ChannelInitializer<Channel> {
        private volatile Listener listener;

        @Override
        protected void initChannel(Channel channel) {
            InetSocketAddress peer = (InetSocketAddress) channel.remoteAddress();
            // Nobody is there any more when the host has reset the connection since.
            if (peer == null || !isOfItsFamily((InetSocketAddress) channel.localAddress())) {
                channel.close();
                return;
            }
            if (!limit.tryOpen(PeerNames.of(peer))) {
                channel.close();
                return;
            }
            channel.closeFuture().addListener(closed -> limit.closed());
            TargetLoop loop = loops.get(channel.eventLoop());
            ConnectionGroup group = groups.get(channel.eventLoop());
            TcpConnection connection = new TcpConnection(channel, loop, commands, listener, group);
            channel.config()
                    .setWriteBufferWaterMark(
                            UntakenAnswers.waterMark(loop.buffers().slab().capacityBytes(), group.size() + 1));
            channel.config()
                    .setRecvByteBufAllocator(new ReceiveBuffers(
                            connection::waitingMemory, eventLoops.kind().fillsBuffersAtOnce()));
            channel.pipeline().addLast(connection);
        }

        /** Sockets of event loops are of IPv6, and the wildcard of IPv4 is to them that of both: it lets in IPv4 alone. */
        private boolean isOfItsFamily(InetSocketAddress local) {
            return !(listener.address().getAddress() instanceof Inet4Address)
                    || local.getAddress() instanceof Inet4Address;
        }

        @Override
        public boolean isSharable() {
            return true;
        }
    }

    /** Stops listening at one address, if it is one of these. Connections stay. Blocks. */
    public synchronized void close(Listener listener) {
        Channel channel = listening.remove(listener);
        if (channel != null) {
            channel.close().awaitUninterruptibly();
        }
    }

    /** Stops listening and ends every connection. Blocks. */
    public synchronized void close() {
        for (Channel channel : listening.values()) {
            if (!channel.eventLoop().isShuttingDown()) {
                channel.close().awaitUninterruptibly();
            }
        }
        listening.clear();
        groups.forEach((loop, group) -> {
            if (!loop.isShuttingDown()) {
                loop.submit(() -> group.closeAll("the target stops")).awaitUninterruptibly();
            }
        });
    }
}
