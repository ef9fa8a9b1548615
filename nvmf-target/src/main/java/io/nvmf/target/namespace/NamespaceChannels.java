package io.nvmf.target.namespace;

import io.netty.channel.IoEventLoop;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.backend.BlockDevice;
import java.io.IOException;
import java.util.IdentityHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The channels of one event loop to the devices behind its namespaces, opened at first use. Owned by that loop. */
public final class NamespaceChannels {
    private static final Logger LOG = LoggerFactory.getLogger(NamespaceChannels.class);

    private final IoEventLoop loop;
    private final Map<BlockDevice, BlockChannel> open = new IdentityHashMap<>();

    public NamespaceChannels(IoEventLoop loop) {
        this.loop = loop;
    }

    /** The loop's channel to a namespace, or null when it cannot be opened (which is logged). */
    public BlockChannel to(Namespace namespace) {
        BlockChannel channel = open.get(namespace.device());
        return channel != null ? channel : open(namespace);
    }

    private BlockChannel open(Namespace namespace) {
        try {
            BlockChannel channel = new GuardedChannel(namespace.device().openChannel(loop));
            open.put(namespace.device(), channel);
            return channel;
        } catch (IOException e) {
            LOG.error("namespace {}: {}", namespace.nsid(), e.getMessage());
            return null;
        } catch (RuntimeException | Error e) {
            LOG.error("namespace {}: the device has thrown", namespace.nsid(), e);
            return null;
        }
    }

    /** Closes the channel to a namespace that is gone from the configuration. */
    public void close(Namespace namespace) {
        BlockChannel channel = open.remove(namespace.device());
        if (channel != null) {
            channel.close();
        }
    }

    public void closeAll() {
        open.values().forEach(BlockChannel::close);
        open.clear();
    }
}
