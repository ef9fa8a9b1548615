package io.nvmf.initiator.controller;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.StatusNames.Kind;
import io.nvmf.codec.feature.AsyncEvent;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyController.Field;
import io.nvmf.codec.log.AnaLog;
import io.nvmf.codec.log.ChangedNamespaceList;
import io.nvmf.codec.log.GetLogPageCommand;
import io.nvmf.codec.log.LogPageId;
import io.nvmf.codec.log.ReservationNotification;
import io.nvmf.initiator.transport.DataDirection;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acts on what a controller tells of changes: reads the log that an event names, which lets the controller tell of the
 * next, brings the namespaces up to date, and hands the event on. One for each association; owned by its loop.
 */
final class Changes {
    private static final Logger LOG = LoggerFactory.getLogger(Changes.class);

    private static final int ANA_HEADER_BYTES = 16;
    private static final int ANA_GROUP_BYTES = 32;
    /** No more notices are read for one event: a controller that never runs out is not heard for ever. */
    static final int MAX_NOTICES = 1024;

    private final Link link;
    private final Namespaces namespaces;
    private final Consumer<AsyncEvent> listener;
    private final Consumer<ReservationNotification> noticeListener;
    private boolean rereading;

    Changes(Link link, Namespaces namespaces, ConnectOptions options) {
        this.link = link;
        this.namespaces = namespaces;
        listener = options.eventListener();
        noticeListener = options.reservationListener();
    }

    private static boolean hasAna(Link link) {
        return (link.facts().identify().get(Field.CMIC) & IdentifyController.CMIC_ANA) != 0;
    }

    /** Completes, never with a failure, when the event has been acted on. */
    CompletableFuture<Void> onEvent(AsyncEvent event) {
        CompletableFuture<Void> done = switch (event.logPageId()) {
            case LogPageId.CHANGED_NAMESPACE_LIST -> whatChanged();
            case LogPageId.ANA -> hasAna(link) ? readAna() : CompletableFuture.completedFuture(null);
            case LogPageId.RESERVATION_NOTIFICATION -> readNotices(MAX_NOTICES);
            default -> CompletableFuture.completedFuture(null);
        };
        return done.handle((nothing, failure) -> {
            if (failure != null && link.association().state() == Association.State.LIVE) {
                LOG.warn(
                        "{}: {}",
                        link.association().name(),
                        Futures.cause(failure).getMessage());
            }
            tell(listener, event);
            return null;
        });
    }

    private <T> void tell(Consumer<T> told, T what) {
        try {
            told.accept(what);
        } catch (RuntimeException e) {
            LOG.error("{}: a listener failed", link.association().name(), e);
        }
    }

    // ---- Namespaces

    /** A log that cannot be read, or tells of more than it holds, may mean any namespace. */
    private CompletableFuture<Void> whatChanged() {
        return log("Changed Namespace List", LogPageId.CHANGED_NAMESPACE_LIST, 0, ChangedNamespaceList.BYTES)
                .handle((data, failure) -> {
                    Collection<Long> all = List.copyOf(namespaces.nsids());
                    if (failure != null) {
                        return all;
                    }
                    List<Long> changed = new ArrayList<>();
                    for (long nsid : ChangedNamespaceList.decode(data, 0)) {
                        changed.add(nsid);
                    }
                    return changed.contains(Sqe.NSID_ALL) ? all : changed;
                })
                .thenCompose(nsids -> namespaces.refresh(link, nsids));
    }

    // ---- Reservations

    /** One page holds one notice; the controller tells of others only when there is none left. */
    private CompletableFuture<Void> readNotices(int most) {
        return log("Reservation Notification", LogPageId.RESERVATION_NOTIFICATION, 0, ReservationNotification.BYTES)
                .thenCompose(data -> {
                    ReservationNotification notice = ReservationNotification.decode(data, 0);
                    if (notice.type() == ReservationNotification.TYPE_EMPTY) {
                        return CompletableFuture.completedFuture(null);
                    }
                    tell(noticeListener, notice);
                    if (most == 1) {
                        throw new ControllerException("more than " + MAX_NOTICES + " reservation notices at once");
                    }
                    return readNotices(most - 1);
                });
    }

    // ---- Asymmetric Namespace Access

    /** Reads the states, where there are any; when the controller cannot tell, the last ones stand. Never fails. */
    CompletableFuture<Void> refreshAna() {
        if (!hasAna(link)) {
            namespaces.applyAnaStates();
            return CompletableFuture.completedFuture(null);
        }
        return readAna().exceptionally(failure -> {
            LOG.warn("{}: {}", link.association().name(), Futures.cause(failure).getMessage());
            namespaces.applyAnaStates();
            return null;
        });
    }

    /** Reads the states of the ANA groups; a namespace is in the one that Identify Namespace tells (ANAGRPID). */
    CompletableFuture<Void> readAna() {
        IdentifyController identify = link.facts().identify();
        long wanted = ANA_HEADER_BYTES + ANA_GROUP_BYTES * identify.get(Field.NANAGRPID);
        int lengthBytes = (int) Math.min(wanted, link.facts().limits().transferBytes()) & ~3;
        return log("ANA", LogPageId.ANA, AnaLog.LSP_GROUPS_ONLY, lengthBytes).thenAccept(data -> {
            AnaLog log;
            try {
                log = AnaLog.decode(data, 0, lengthBytes);
            } catch (IllegalArgumentException e) {
                throw new ControllerException(link.association().name() + ": " + e.getMessage());
            }
            namespaces.anaStates(log);
            if (log.groups().stream().anyMatch(group -> group.state() == AnaLog.STATE_CHANGE)) {
                readAnaAgain(Math.max(1, identify.get(Field.ANATT)));
            }
        });
    }

    /** A group does not change for longer than ANATT; the event that tells of the end of it may be lost. */
    private void readAnaAgain(long afterSeconds) {
        if (rereading) {
            return;
        }
        rereading = true;
        link.association()
                .loop()
                .schedule(
                        () -> {
                            rereading = false;
                            if (link.association().state() == Association.State.LIVE) {
                                readAna().exceptionally(failure -> null);
                            }
                        },
                        afterSeconds,
                        TimeUnit.SECONDS);
    }

    private CompletableFuture<ByteBuffer> log(String what, int logPageId, int lsp, int lengthBytes) {
        ByteBuffer data = AdminCommands.direct(lengthBytes);
        return link.admin()
                .execute(
                        "Get Log Page (" + what + ")",
                        Kind.ADMIN,
                        sqe -> GetLogPageCommand.lsp(
                                GetLogPageCommand.encode(sqe, logPageId, lengthBytes, 0)
                                        .nsid(Sqe.NSID_ALL),
                                lsp),
                        DataDirection.CONTROLLER_TO_HOST,
                        data)
                .thenApply(result -> data);
    }
}
