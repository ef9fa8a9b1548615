package io.nvmf.target.queue;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.reservation.ReservationCommand;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Aborts commands of a queue, wherever they are. One whose data is on its way is completed when the data is there: until then the
 * host sends it, or the device fetches it. One that a backend has is left to it. Owned by the queue's event loop.
 */
final class CommandAborts {
    private final BufferPool.Share buffers;
    private final FusedPairs fusedPairs;
    private final List<AwaitedEnd> awaitedEnds = new ArrayList<>();

    CommandAborts(BufferPool.Share buffers, FusedPairs fusedPairs) {
        this.buffers = buffers;
        this.fusedPairs = fusedPairs;
    }

    /** @return whether the command with this id is, or will be, completed without having been executed */
    boolean abort(Request[] slots, int commandId) {
        for (Request request : slots) {
            boolean named = request != null && request.sqe().commandId() == commandId;
            if (named && abort(request, Status.ABORT_REQUESTED)) {
                buffers.cancelled();
                return true;
            }
        }
        return false;
    }

    /**
     * Aborts all commands on a namespace.
     *
     * @return completes when those that could not be aborted have ended
     */
    CompletableFuture<Void> abortAll(Request[] slots, long nsid) {
        Set<Request> executed = new HashSet<>();
        for (Request request : slots) {
            boolean concerned = request != null
                    && request.sqe().nsid() == nsid
                    && request.sqe().opcode() != Opcode.FABRICS;
            if (concerned && !abort(request, Status.PREEMPT_ABORT) && isOnBlocks(request)) {
                executed.add(request);
            }
        }
        // Not before all are: none of these is to have its buffer now.
        buffers.cancelled();
        AwaitedEnd awaited = new AwaitedEnd(executed, new CompletableFuture<>());
        if (executed.isEmpty()) {
            awaited.ended.complete(null);
        } else {
            awaitedEnds.add(awaited);
        }
        return awaited.ended;
    }

    /** Reservation commands touch no block, and two that wait for each other would wait for ever. */
    private static boolean isOnBlocks(Request request) {
        return request.state() == RequestState.EXECUTING
                && !ReservationCommand.is(request.sqe().opcode());
    }

    private boolean abort(Request request, int status) {
        return switch (request.state()) {
            case RECEIVED, DATA_PENDING -> {
                request.refuse(status);
                yield true;
            }
            case AWAITING_BUFFER -> {
                buffers.cancel(request);
                complete(request, status);
                yield true;
            }
            case AWAITING_PARTNER -> {
                if (!fusedPairs.abort(request, status)) {
                    request.refuse(status);
                }
                yield true;
            }
            case EXECUTING -> {
                boolean waits = (isSecond(request) ? request.partner() : request).waitsToBegin();
                if (waits) {
                    complete(request, status);
                }
                yield waits;
            }
            case FREE, COMPLETING -> false;
        };
    }

    private static boolean isSecond(Request request) {
        return request.partner() != null && request.sqe().fuse() == Sqe.FUSED_SECOND;
    }

    /** Nothing moves or changes for it, nor for its other half. */
    private void complete(Request request, int status) {
        Request partner = request.partner();
        if (partner == null) {
            request.state(RequestState.EXECUTING);
            request.complete(status);
            return;
        }
        buffers.cancel(partner);
        request.refuse(status);
        boolean second = isSecond(request);
        fusedPairs.execute(second ? partner : request, second ? request : partner);
    }

    /** A command has ended. */
    void ended(Request request) {
        if (!awaitedEnds.isEmpty()) {
            awaitedEnds.removeIf(awaited -> awaited.hasEndedWith(request));
        }
    }

    /** Requests that were being executed at some moment, and what is to be told when the last of them has ended. */
    private record AwaitedEnd(Set<Request> requests, CompletableFuture<Void> ended) {
        boolean hasEndedWith(Request request) {
            return requests.remove(request) && requests.isEmpty() && ended.complete(null);
        }
    }
}
