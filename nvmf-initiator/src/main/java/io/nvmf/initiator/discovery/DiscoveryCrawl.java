package io.nvmf.initiator.discovery;

import io.netty.util.NetUtil;
import io.nvmf.codec.Nqn;
import io.nvmf.codec.log.DiscoveryLogEntry;
import io.nvmf.codec.log.DiscoveryLogEntry.Field;
import io.nvmf.codec.log.TransportType;
import io.nvmf.initiator.controller.ConnectOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects what a discovery controller lists, and those it refers to, each asked once. Nothing that a log says is looked up
 * or believed: an address that is none, or of a transport that this host does not speak, is left out. One object for one
 * use.
 */
public final class DiscoveryCrawl {
    /** No more discovery controllers are asked. */
    static final int MAX_CONTROLLERS = 32;
    /** No more subsystems and ways to them are collected. */
    static final int MAX_ENTRIES = 16_384;

    private static final Logger LOG = LoggerFactory.getLogger(DiscoveryCrawl.class);

    private final Function<ConnectOptions, CompletableFuture<DiscoveryResult>> discover;
    private final Map<ConnectTarget, ConnectOptions> found = new LinkedHashMap<>();
    private final Set<ConnectTarget> asked = new HashSet<>();
    private final ArrayDeque<ConnectOptions> toAsk = new ArrayDeque<>();

    /** What makes an entry the same as another. */
    private record ConnectTarget(TransportType transport, InetSocketAddress remote, String subsystemNqn) {
        static ConnectTarget of(ConnectOptions options) {
            return new ConnectTarget(options.transport(), options.remote(), options.subsystemNqn());
        }
    }

    /** @param discover reads the log of one discovery controller */
    public DiscoveryCrawl(Function<ConnectOptions, CompletableFuture<DiscoveryResult>> discover) {
        this.discover = discover;
    }

    /**
     * Begins with one controller. A controller that was referred to and cannot be asked is left out, with a line in the log.
     *
     * @return how to reach every subsystem, each way once; fails if the first controller cannot be asked
     */
    public CompletableFuture<List<ConnectOptions>> from(ConnectOptions first) {
        asked.add(ConnectTarget.of(first));
        return discover.apply(first).thenCompose(result -> {
            take(result);
            return askNext();
        });
    }

    private CompletableFuture<List<ConnectOptions>> askNext() {
        ConnectOptions next = toAsk.poll();
        if (next == null) {
            return CompletableFuture.completedFuture(List.copyOf(found.values()));
        }
        return discover.apply(next)
                .handle((result, failure) -> {
                    if (failure == null) {
                        take(result);
                    } else {
                        LOG.warn("The referral to {} leads nowhere: {}", next.remote(), failure.getMessage());
                    }
                    return null;
                })
                .thenCompose(nothing -> askNext());
    }

    private void take(DiscoveryResult result) {
        for (DiscoveryLogEntry entry : result.entries()) {
            long subtype = entry.get(Field.SUBTYPE);
            InetSocketAddress remote = remoteOf(entry);
            TransportType transport = transportOf(entry);
            if (remote == null || transport == null) {
                LOG.debug("An entry for {} is left out", entry.transportAddress());
            } else if (subtype == DiscoveryLogEntry.SUBTYPE_REFERRAL) {
                refer(ConnectOptions.discovery(transport, remote));
            } else if (subtype == DiscoveryLogEntry.SUBTYPE_NVM && isNqn(entry.subsystemNqn())) {
                ConnectOptions options = ConnectOptions.of(transport, remote, entry.subsystemNqn());
                if (found.size() < MAX_ENTRIES) {
                    found.putIfAbsent(ConnectTarget.of(options), options);
                }
            }
        }
    }

    private void refer(ConnectOptions referral) {
        if (asked.size() < MAX_CONTROLLERS && asked.add(ConnectTarget.of(referral))) {
            toAsk.add(referral);
        }
    }

    private static boolean isNqn(String nqn) {
        int lengthBytes = nqn.getBytes(StandardCharsets.UTF_8).length;
        return lengthBytes > 0 && lengthBytes <= Nqn.MAX_BYTES && !nqn.equals(Nqn.DISCOVERY);
    }

    private static TransportType transportOf(DiscoveryLogEntry entry) {
        return Arrays.stream(TransportType.values())
                .filter(transport -> transport.trtype() == entry.get(Field.TRTYPE))
                .findFirst()
                .orElse(null);
    }

    /** Null if it is no address and port that can be connected to. Names are not looked up. */
    private static InetSocketAddress remoteOf(DiscoveryLogEntry entry) {
        byte[] address = NetUtil.createByteArrayFromIpAddressString(entry.transportAddress());
        int port = portOf(entry.serviceId());
        if (address == null || port == 0) {
            return null;
        }
        try {
            InetAddress inet = InetAddress.getByAddress(address);
            return inet.isAnyLocalAddress() || inet.isMulticastAddress() ? null : new InetSocketAddress(inet, port);
        } catch (UnknownHostException e) {
            return null;
        }
    }

    /** 0 if it is none. */
    private static int portOf(String text) {
        try {
            int port = Integer.parseInt(text);
            return port > 0 && port <= 0xFFFF ? port : 0;
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
