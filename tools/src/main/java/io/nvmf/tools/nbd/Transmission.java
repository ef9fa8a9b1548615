package io.nvmf.tools.nbd;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nvmf.codec.Status;
import io.nvmf.initiator.queue.NvmeStatusException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/**
 * The requests of a client and their replies, which go out in the order in which they are done. A request that cannot be is
 * answered with an error, after its data, if it brings some, has been passed over.
 */
final class Transmission implements Phase {
    private final NbdConnection connection;
    private final NbdExport export;
    private final ByteIo io;
    private final Budget budget;
    private final ChangeOrder changes;
    private final Replies replies;

    /** What the next request takes up has been taken for it already. */
    private boolean isGranted;
    /** A write whose data is coming. */
    private NbdRequest filling;
    /** A request that is refused, and how much of its data is still to be passed over. */
    private NbdRequest refused;

    private int refusal;
    private long passOverBytes;
    private int inFlight;
    private boolean isLeaving;

    Transmission(NbdConnection connection, Served served, boolean structuredReplies) {
        this.connection = connection;
        export = served.export();
        io = new ByteIo(export.namespace());
        budget = served.budget();
        changes = served.changes();
        replies = new Replies(connection, structuredReplies);
    }

    @Override
    public boolean isOwed() {
        return filling != null || passOverBytes > 0 || replies.isBehind();
    }

    @Override
    public boolean advance(ByteBuf in) {
        if (isLeaving) {
            in.skipBytes(in.readableBytes());
            return false;
        }
        if (passOverBytes > 0) {
            return passOver(in);
        }
        return filling != null ? fill(in) : begin(in);
    }

    // ---- A request comes

    private boolean begin(ByteBuf in) {
        if (in.readableBytes() < Nbd.REQUEST_BYTES) {
            return false;
        }
        NbdRequest request = NbdRequest.peek(in);
        int error = RequestCheck.error(export, replies.areStructured(), request);
        if (error == 0 && !isGranted && request.type() != Nbd.COMMAND_DISCONNECT && !take(request)) {
            return false;
        }
        in.skipBytes(Nbd.REQUEST_BYTES);
        if (error != 0) {
            if (isGranted) { // the export has become smaller while it waited
                isGranted = false;
                budget.giveBack(cost(request));
            }
            refuse(request, error);
            return true;
        }
        isGranted = false;
        if (request.type() == Nbd.COMMAND_DISCONNECT) {
            leave();
        } else if (allocate(request)) {
            start(request);
        }
        return true;
    }

    private boolean take(NbdRequest request) {
        int bytes = cost(request);
        boolean taken = budget.tryTake(bytes, () -> {
            if (connection.isOpen()) {
                isGranted = true;
                connection.resume();
            } else {
                budget.giveBack(bytes);
            }
        });
        if (!taken) {
            connection.pause();
        }
        return taken;
    }

    /** Memory it takes up. */
    private int cost(NbdRequest request) {
        return request.dataBytes() + request.edgeBytes(export.blockBytes());
    }

    private boolean allocate(NbdRequest request) {
        ByteBuf data = Unpooled.EMPTY_BUFFER;
        try {
            data = buffer(request.dataBytes());
            request.buffers(data, buffer(request.edgeBytes(export.blockBytes())));
            return true;
        } catch (OutOfMemoryError e) {
            data.release();
            budget.giveBack(cost(request));
            refuse(request, Nbd.ENOMEM);
            return false;
        }
    }

    private ByteBuf buffer(int bytes) {
        return bytes == 0 ? Unpooled.EMPTY_BUFFER : connection.buffer(bytes);
    }

    private void refuse(NbdRequest request, int error) {
        if (request.type() == Nbd.COMMAND_WRITE) {
            refused = request;
            refusal = error;
            passOverBytes = request.lengthBytes();
        }
        if (passOverBytes == 0) {
            replies.error(request, error);
        }
    }

    private boolean passOver(ByteBuf in) {
        int bytes = (int) Math.min(passOverBytes, in.readableBytes());
        in.skipBytes(bytes);
        passOverBytes -= bytes;
        if (passOverBytes == 0) {
            replies.error(refused, refusal);
        }
        return passOverBytes == 0;
    }

    private boolean fill(ByteBuf in) {
        ByteBuf data = filling.data();
        data.writeBytes(in, Math.min(data.writableBytes(), in.readableBytes()));
        if (data.readableBytes() < filling.lengthBytes()) {
            return false;
        }
        NbdRequest request = filling;
        filling = null;
        Span span = span(request);
        change(request, span, () -> io.write(span, request.data(), request.edges(), request.has(Nbd.FLAG_FUA)));
        return true;
    }

    /** What is outstanding is answered still. */
    private void leave() {
        isLeaving = true;
        finishIfIdle();
    }

    private void finishIfIdle() {
        if (isLeaving && inFlight == 0) {
            connection.finish();
        }
    }

    // ---- A request is carried out

    private Span span(NbdRequest request) {
        return Span.of(request, export.blockBytes());
    }

    private void start(NbdRequest request) {
        switch (request.type()) {
            case Nbd.COMMAND_WRITE -> filling = request;
            case Nbd.COMMAND_FLUSH -> carryOut(request, export.namespace().flush());
            case Nbd.COMMAND_TRIM -> trim(request);
            case Nbd.COMMAND_WRITE_ZEROES -> writeZeroes(request);
            default -> carryOut(request, io.read(span(request), request.data(), request.edges()));
        }
    }

    private void trim(NbdRequest request) {
        Span whole = span(request).covered();
        if (whole == null) {
            carryOut(request, CompletableFuture.completedFuture(null));
        } else {
            change(request, whole, () -> thenFlush(request, io.trim(whole)));
        }
    }

    private void writeZeroes(NbdRequest request) {
        Span span = span(request);
        boolean deallocate = !request.has(Nbd.FLAG_NO_HOLE);
        change(request, span, () -> thenFlush(request, io.writeZeroes(span, request.edges(), deallocate)));
    }

    private CompletableFuture<Void> thenFlush(NbdRequest request, CompletableFuture<Void> done) {
        return request.has(Nbd.FLAG_FUA)
                ? done.thenCompose(nothing -> export.namespace().flush())
                : done;
    }

    private void carryOut(NbdRequest request, CompletableFuture<Void> done) {
        inFlight++;
        done.whenComplete((nothing, failure) -> connection.onLoop(() -> completed(request, failure)));
    }

    /** In its turn among the changes of all connections. */
    private void change(NbdRequest request, Span span, Supplier<CompletableFuture<Void>> work) {
        inFlight++;
        changes.begin(
                span,
                change -> work.get()
                        .whenComplete((nothing, failure) -> connection.onLoop(() -> {
                            changes.end(change);
                            completed(request, failure);
                        })));
    }

    private void completed(NbdRequest request, Throwable failure) {
        inFlight--;
        ByteBuf data = request.takeData();
        Runnable giveBack = () -> budget.giveBack(cost(request));
        if (failure == null && request.type() == Nbd.COMMAND_READ && connection.isOpen()) {
            replies.data(request, data.writerIndex(request.dataBytes()), giveBack);
        } else {
            data.release();
            if (connection.isOpen()) {
                if (failure == null) {
                    replies.success(request);
                } else {
                    replies.error(request, error(failure, request));
                }
            }
            giveBack.run();
        }
        finishIfIdle();
    }

    /** The error that clients know for a failure. */
    static int error(Throwable failure, NbdRequest request) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (!(cause instanceof NvmeStatusException status)) {
            return Nbd.EIO;
        }
        return switch (Status.withoutFlags(status.status())) {
            case Status.LBA_OUT_OF_RANGE -> request.type() == Nbd.COMMAND_READ ? Nbd.EINVAL : Nbd.ENOSPC;
            case Status.CAPACITY_EXCEEDED -> Nbd.ENOSPC;
            case Status.NAMESPACE_WRITE_PROTECTED, Status.RESERVATION_CONFLICT, Status.ACCESS_DENIED -> Nbd.EPERM;
            case Status.INVALID_OPCODE -> Nbd.ENOTSUP;
            case Status.ABORTED_BY_HOST -> Nbd.ESHUTDOWN;
            default -> Nbd.EIO;
        };
    }

    // ---- The end

    @Override
    public void ended() {
        if (filling != null) {
            filling.takeData().release();
            budget.giveBack(cost(filling));
            filling = null;
        }
    }
}
