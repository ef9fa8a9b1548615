package io.nvmf.target;

import io.netty.util.NetUtil;
import io.netty.util.internal.PlatformDependent;
import io.nvmf.codec.log.TransportType;
import io.nvmf.target.command.CommandTable;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.RdmaConfig;
import io.nvmf.target.discovery.Listener;
import io.nvmf.target.queue.TargetLoop;
import io.nvmf.target.subsystem.Subsystem;
import io.nvmf.target.transport.ConnectionLimit;
import io.nvmf.target.transport.rdma.RdmaTransport;
import io.nvmf.target.transport.tcp.TcpTransport;
import io.nvmf.transport.EventLoops;
import io.nvmf.transport.rdma.RdmaProvider;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens and closes the addresses of a target; RDMA is there from the first address that wants it. One thread at a time. */
final class Listeners {
    private static final Logger LOG = LoggerFactory.getLogger(Listeners.class);

    private final List<TargetLoop> loops;
    private final CommandTable commands;
    private final ConnectionLimit limit = ConnectionLimit.ofThisProcess();
    private final TcpTransport tcp;
    private final RdmaProvider provider;
    private final RdmaConfig rdmaConfig;
    private final Consumer<RdmaTransport> whenRdmaStarts;
    private RdmaTransport rdma;

    /** @param whenRdmaStarts is told of RDMA, should it be needed */
    Listeners(
            EventLoops eventLoops,
            List<TargetLoop> loops,
            CommandTable commands,
            RdmaProvider provider,
            RdmaConfig rdmaConfig,
            Consumer<RdmaTransport> whenRdmaStarts) {
        this.loops = loops;
        this.commands = commands;
        this.provider = provider;
        this.rdmaConfig = rdmaConfig;
        this.whenRdmaStarts = whenRdmaStarts;
        tcp = new TcpTransport(eventLoops, loops, commands, limit);
    }

    /**
     * Opens an address. Blocks.
     *
     * @param reached subsystems, discovery among them
     * @throws IOException when that is not possible; the message is one sentence
     */
    Listener open(ListenerConfig config, List<Subsystem> reached) throws IOException {
        if (config.transport() == TransportType.TCP) {
            return tcp.listen(config, reached);
        }
        try {
            return startRdma().listen(config, reached);
        } catch (IOException e) {
            throw failure(config, e.getMessage(), e);
        } catch (RuntimeException | LinkageError e) {
            // What lies below is other people's libraries: hosts over TCP are served all the same.
            LOG.error("RDMA could not be started", e);
            throw failure(config, "an error of our own, " + e, e);
        }
    }

    private static IOException failure(ListenerConfig config, String why, Throwable cause) {
        return new IOException(
                "cannot listen on " + NetUtil.toSocketAddressString(config.address()) + " over RDMA: " + why, cause);
    }

    private RdmaTransport startRdma() throws IOException {
        if (rdma == null) {
            RdmaConfig config = rdmaConfig.withReceiveMemoryUpTo(PlatformDependent.maxDirectMemory() / 8);
            if (!config.equals(rdmaConfig)) {
                LOG.warn(
                        "memory for capsules over RDMA (--rdma-receive-memory) is {} MiB instead of {} MiB, for it may be an"
                                + " eighth of what Java may use outside its heap: raise -XX:MaxDirectMemorySize for more",
                        config.receiveMemoryBytes() >> 20,
                        rdmaConfig.receiveMemoryBytes() >> 20);
            }
            rdma = new RdmaTransport(provider, config, loops, commands, limit);
            whenRdmaStarts.accept(rdma);
        }
        return rdma;
    }

    /** Stops listening at an address; connections stay. Blocks. */
    void close(Listener listener) {
        if (listener.transport() == TransportType.TCP) {
            tcp.close(listener);
            return;
        }
        try {
            rdma.close(listener);
        } catch (IOException e) {
            LOG.warn("closing {}: {}", NetUtil.toSocketAddressString(listener.address()), e.getMessage());
        }
    }

    /** Null as long as nobody wanted it. */
    RdmaTransport rdma() {
        return rdma;
    }

    /** Stops listening and ends every connection. Blocks. */
    void endConnections() {
        tcp.close();
        if (rdma != null) {
            rdma.endConnections();
        }
    }

    /** After {@link #endConnections}, when no channel to a device is open any more. Blocks. */
    void close() {
        if (rdma != null) {
            rdma.close();
        }
    }
}
