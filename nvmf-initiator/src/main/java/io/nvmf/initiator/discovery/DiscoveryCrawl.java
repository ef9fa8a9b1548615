package io.nvmf.initiator.discovery;

import io.netty.util.NetUtil;
import io.nvmf.codec.Nqn;
import io.nvmf.codec.log.DiscoveryLogEntry;
import io.nvmf.codec.log.DiscoveryLogEntry.Field;
import io.nvmf.codec.log.TransportType;
import io.nvmf.initiator.controller.ConnectOptions;
import io.nvmf.initiator.discovery.Discovered.Path;
import io.nvmf.initiator.discovery.Discovered.Unreached;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Collects what a discovery controller lists, and those it refers to, each asked once. Nothing that a log says is looked up
 * or believed: an address must be one, not a name. One object for one use.
 */
public final class DiscoveryCrawl {
    /** No more discovery controllers are asked. */
    static final int MAX_CONTROLLERS = 32;
    /** No more subsystems and ways to them are collected. */
    static final int MAX_ENTRIES = 16_384;

    private final Function<ConnectOptions, CompletableFuture<DiscoveryResult>> discover;
    private final UnaryOperator<ConnectOptions> settings;
    private final Map<Object, Path> found = new LinkedHashMap<>();
    private final List<Unreached> unreached = new ArrayList<>();
    private final Set<ConnectTarget> asked = new HashSet<>();
    private final ArrayDeque<ConnectOptions> toAsk = new ArrayDeque<>();

    /** What makes a way the same as another. */
    private record ConnectTarget(TransportType transport, InetSocketAddress remote, String subsystemNqn) {
        static ConnectTarget of(ConnectOptions options) {
            return new ConnectTarget(options.transport(), options.remote(), options.subsystemNqn());
        }
    }

    /** The same of one that this host cannot go. */
    private record StrangeTarget(long transport, String address, String service, String subsystemNqn) {
        static StrangeTarget of(DiscoveryLogEntry entry) {
            return new StrangeTarget(
                    entry.get(Field.TRTYPE), entry.transportAddress(), entry.serviceId(), entry.subsystemNqn());
        }
    }

    /**
     * @param discover reads the log of one discovery controller
     * @param settings of the connections to those that are referred to, from the defaults
     */
    public DiscoveryCrawl(
            Function<ConnectOptions, CompletableFuture<DiscoveryResult>> discover,
            UnaryOperator<ConnectOptions> settings) {
        this.discover = discover;
        this.settings = settings;
    }

    /** Begins with one controller; fails if that cannot be asked. */
    public CompletableFuture<Discovered> from(ConnectOptions first) {
        asked.add(ConnectTarget.of(first));
        return discover.apply(first).thenCompose(result -> {
            take(result);
            return askNext();
        });
    }

    private CompletableFuture<Discovered> askNext() {
        ConnectOptions next = toAsk.poll();
        if (next == null) {
            return CompletableFuture.completedFuture(
                    new Discovered(List.copyOf(found.values()), List.copyOf(unreached)));
        }
        return discover.apply(next)
                .handle((result, failure) -> {
                    if (failure == null) {
                        take(result);
                    } else {
                        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                        unreached.add(new Unreached(next, cause.getMessage()));
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
            boolean isReachable = remote != null && transport != null;
            if (subtype == DiscoveryLogEntry.SUBTYPE_REFERRAL && isReachable) {
                refer(settings.apply(ConnectOptions.discovery(transport, remote)));
            } else if (subtype == DiscoveryLogEntry.SUBTYPE_NVM && isNqn(entry.subsystemNqn())) {
                ConnectOptions options =
                        isReachable ? ConnectOptions.of(transport, remote, entry.subsystemNqn()) : null;
                if (found.size() < MAX_ENTRIES) {
                    Object target = isReachable ? ConnectTarget.of(options) : StrangeTarget.of(entry);
                    found.putIfAbsent(target, new Path(entry, options));
                }
            }
        }
    }

    private void refer(ConnectOptions referral) {
        if (asked.contains(ConnectTarget.of(referral))) {
            return;
        }
        if (asked.size() < MAX_CONTROLLERS) {
            asked.add(ConnectTarget.of(referral));
            toAsk.add(referral);
        } else if (unreached.size() < MAX_CONTROLLERS) {
            unreached.add(new Unreached(referral, "there are more than " + MAX_CONTROLLERS + " discovery controllers"));
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
