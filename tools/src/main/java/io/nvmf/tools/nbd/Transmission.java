package io.nvmf.tools.nbd;

import io.netty.buffer.ByteBuf;
import io.nvmf.codec.Status;
import io.nvmf.initiator.namespace.BlockRange;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.initiator.queue.NvmeStatusException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The requests of a client and their replies, which go out in the order in which they are done. A request that cannot be is
 * answered with an error, after its data, if it brings some, has been passed over.
 */
final class Transmission implements Phase {
    private final NbdConnection connection;
    private final NbdExport export;
    private final Namespace namespace;
    private final Budget budget;
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

    Transmission(NbdConnection connection, NbdExport export, Budget budget, boolean structuredReplies) {
        this.connection = connection;
        this.export = export;
        this.budget = budget;
        namespace = export.namespace();
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
        isGranted = false;
        in.skipBytes(Nbd.REQUEST_BYTES);
        if (error != 0) {
            refuse(request, error);
            return true;
        }
        switch (request.type()) {
            case Nbd.COMMAND_READ, Nbd.COMMAND_WRITE -> transfer(request);
            case Nbd.COMMAND_FLUSH -> carryOut(request, namespace.flush());
            case Nbd.COMMAND_TRIM -> trim(request);
            case Nbd.COMMAND_WRITE_ZEROES -> writeZeroes(request);
            default -> leave();
        }
        return true;
    }

    private boolean take(NbdRequest request) {
        boolean taken = budget.tryTake(request.dataBytes(), () -> {
            if (connection.isOpen()) {
                isGranted = true;
                connection.resume();
            } else {
                budget.giveBack(request.dataBytes());
            }
        });
        if (!taken) {
            connection.pause();
        }
        return taken;
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
        long block = block(request);
        carryOut(
                request,
                request.has(Nbd.FLAG_FUA)
                        ? namespace.writeThrough(block, data.nioBuffer())
                        : namespace.write(block, data.nioBuffer()));
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

    private long block(NbdRequest request) {
        return request.offset() / namespace.blockSizeBytes();
    }

    private void transfer(NbdRequest request) {
        int lengthBytes = request.dataBytes();
        try {
            request.data(connection.buffer(lengthBytes));
        } catch (OutOfMemoryError e) {
            budget.giveBack(lengthBytes);
            refuse(request, Nbd.ENOMEM);
            return;
        }
        if (request.type() == Nbd.COMMAND_WRITE) {
            filling = request;
        } else {
            carryOut(request, namespace.read(block(request), request.data().nioBuffer(0, lengthBytes)));
        }
    }

    private void trim(NbdRequest request) {
        BlockRange range = new BlockRange(block(request), request.lengthBytes() / namespace.blockSizeBytes());
        carryOut(request, thenFlush(request, namespace.deallocate(List.of(range))));
    }

    private void writeZeroes(NbdRequest request) {
        long blocks = request.lengthBytes() / namespace.blockSizeBytes();
        carryOut(
                request,
                thenFlush(request, namespace.writeZeroes(block(request), blocks, !request.has(Nbd.FLAG_NO_HOLE))));
    }

    private CompletableFuture<Void> thenFlush(NbdRequest request, CompletableFuture<Void> done) {
        return request.has(Nbd.FLAG_FUA) ? done.thenCompose(nothing -> namespace.flush()) : done;
    }

    private void carryOut(NbdRequest request, CompletableFuture<Void> done) {
        inFlight++;
        done.whenComplete((nothing, failure) -> connection.onLoop(() -> completed(request, failure)));
    }

    private void completed(NbdRequest request, Throwable failure) {
        inFlight--;
        ByteBuf data = request.takeData();
        Runnable giveBack = () -> budget.giveBack(request.dataBytes());
        if (failure == null && request.type() == Nbd.COMMAND_READ && connection.isOpen()) {
            replies.data(request, data.writerIndex(request.dataBytes()), giveBack);
        } else {
            if (data != null) {
                data.release();
            }
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
            budget.giveBack(filling.dataBytes());
            filling = null;
        }
    }
}
