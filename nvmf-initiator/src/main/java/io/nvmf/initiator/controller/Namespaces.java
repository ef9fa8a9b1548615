package io.nvmf.initiator.controller;

import io.nvmf.codec.Status;
import io.nvmf.codec.identify.Cns;
import io.nvmf.codec.identify.IdentifyNamespace;
import io.nvmf.codec.identify.IdentifyNamespace.Field;
import io.nvmf.codec.identify.NamespaceDescriptors;
import io.nvmf.codec.log.AnaLog;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.initiator.queue.NvmeStatusException;
import io.nvmf.initiator.queue.QueueSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The namespaces of a controller that were asked for, one object for each, kept up to date: sizes change; one that is gone,
 * or whose id is another one's, takes no requests until it is there again, known by its identifiers. Any thread.
 */
final class Namespaces {
    private static final Logger LOG = LoggerFactory.getLogger(Namespaces.class);

    private static final int GONE = Status.INVALID_NAMESPACE_OR_FORMAT | Status.DNR;

    /** What the controller says of a namespace. */
    private record Facts(IdentifyNamespace identify, NamespaceDescriptors ids) {
        boolean isActive() {
            return identify.get(Field.NSZE) != 0;
        }
    }

    /** A namespace that was handed out, and its identifiers then. */
    private record Known(Namespace namespace, NamespaceDescriptors ids) {
        boolean isGone() {
            return !Status.isSuccess(namespace.refusal());
        }
    }

    private final String name;
    private final QueueSet queues;
    private final long timeoutMs;
    private final Map<Long, Known> known = new ConcurrentHashMap<>();
    /** States by ANA group; empty when the controller does not tell. */
    private volatile Map<Long, Integer> anaStates = Map.of();

    Namespaces(String name, QueueSet queues, long timeoutMs) {
        this.name = name;
        this.queues = queues;
        this.timeoutMs = timeoutMs;
    }

    Collection<Long> nsids() {
        return known.keySet();
    }

    /** The namespace with this id, as it is now. Fails with a {@link ControllerException} if there is none to work with. */
    CompletableFuture<Namespace> open(Link link, long nsid) {
        return read(link, nsid).thenApply(facts -> {
            apply(link, nsid, facts);
            Namespace namespace = known.compute(
                            nsid, (id, before) -> before == null || before.isGone() ? make(link, id, facts) : before)
                    .namespace();
            updateAnaState(namespace);
            return namespace;
        });
    }

    /** Takes over the states of the ANA groups. */
    void anaStates(AnaLog log) {
        Map<Long, Integer> states = new HashMap<>();
        log.groups().forEach(group -> states.put(group.id(), group.state()));
        anaStates = Map.copyOf(states);
        applyAnaStates();
    }

    void applyAnaStates() {
        known.values().forEach(each -> updateAnaState(each.namespace()));
    }

    /** A group that the log does not name is as good as any. */
    private void updateAnaState(Namespace namespace) {
        long group = namespace.identify().get(Field.ANAGRPID);
        namespace.anaState(anaStates.getOrDefault(group, AnaLog.STATE_OPTIMIZED));
    }

    private Known make(Link link, long nsid, Facts facts) {
        try {
            return new Known(
                    new Namespace(nsid, facts.identify(), queues, link.facts().limits(), timeoutMs), facts.ids());
        } catch (IllegalArgumentException e) {
            throw new ControllerException(e.getMessage());
        }
    }

    /** Looks at those of the namespaces that were handed out, one after the other. */
    CompletableFuture<Void> refresh(Link link, Collection<Long> nsids) {
        return refreshNext(link, nsids.stream().filter(known::containsKey).iterator());
    }

    private CompletableFuture<Void> refreshNext(Link link, Iterator<Long> nsids) {
        if (!nsids.hasNext()) {
            return CompletableFuture.completedFuture(null);
        }
        long nsid = nsids.next();
        return read(link, nsid)
                .handle((facts, failure) -> {
                    if (failure == null) {
                        apply(link, nsid, facts);
                    } else if (isGone(Futures.cause(failure))) {
                        retire(nsid, "is gone");
                    } else {
                        return CompletableFuture.<Void>failedFuture(Futures.cause(failure));
                    }
                    return CompletableFuture.<Void>completedFuture(null);
                })
                .thenCompose(done -> done)
                .thenCompose(done -> refreshNext(link, nsids));
    }

    private static boolean isGone(Throwable failure) {
        return failure instanceof NvmeStatusException
                && Status.withoutFlags(((NvmeStatusException) failure).status()) == Status.INVALID_NAMESPACE_OR_FORMAT;
    }

    /** Controllers before version 1.3 have no descriptors; others may refuse them: then there are none to compare. */
    private static CompletableFuture<Facts> read(Link link, long nsid) {
        return link.admin().identify(Cns.NAMESPACE, nsid, 0).thenCompose(data -> {
            IdentifyNamespace identify = IdentifyNamespace.decode(data, 0);
            return link.admin()
                    .identify(Cns.NAMESPACE_DESCRIPTORS, nsid, 0)
                    .thenApply(ids -> NamespaceDescriptors.decode(ids, 0))
                    .exceptionally(failure -> {
                        Throwable cause = Futures.cause(failure);
                        if (cause instanceof NvmeStatusException
                                && ((NvmeStatusException) cause).sct() != Status.TYPE_PATH) {
                            return new NamespaceDescriptors(
                                    identify.eui64(),
                                    identify.nguid(),
                                    NamespaceDescriptors.NO_UUID,
                                    NamespaceDescriptors.NO_CSI);
                        }
                        throw new CompletionException(cause);
                    })
                    .thenApply(ids -> new Facts(identify, ids));
        });
    }

    private void apply(Link link, long nsid, Facts facts) {
        Known before = known.get(nsid);
        if (before == null) {
            return;
        }
        boolean wasGone = before.isGone();
        if (!facts.isActive()) {
            retire(nsid, "is gone");
        } else if (!before.ids().equals(facts.ids())) {
            retire(nsid, "has other identifiers now");
        } else if (wasGone && !before.ids().identify()) {
            LOG.debug("{}: nothing tells whether namespace {} is the one that was there", name, nsid);
        } else if (!before.namespace().update(facts.identify(), link.facts().limits())) {
            retire(nsid, "has another format now");
        } else {
            updateAnaState(before.namespace());
            if (wasGone) {
                LOG.info("{}: namespace {} is there again", name, nsid);
            }
        }
    }

    private void retire(long nsid, String why) {
        Known gone = known.get(nsid);
        if (gone != null && !gone.isGone()) {
            LOG.warn("{}: namespace {} {}; its requests fail", name, nsid, why);
            gone.namespace().retire(GONE);
        }
    }
}
