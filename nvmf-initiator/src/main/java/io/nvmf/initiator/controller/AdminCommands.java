package io.nvmf.initiator.controller;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.StatusNames.Kind;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.fabrics.PropertyCommand;
import io.nvmf.codec.feature.FeaturesCommand;
import io.nvmf.codec.identify.IdentifyCommand;
import io.nvmf.initiator.queue.HostQueue;
import io.nvmf.initiator.transport.DataDirection;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongPredicate;

/** Commands of the admin queue, each answered with a future that completes on its event loop. Any thread. */
final class AdminCommands {
    private static final long POLL_MS = 50;

    private final HostQueue queue;
    private final long timeoutMs;

    AdminCommands(HostQueue queue, long timeoutMs) {
        this.queue = queue;
        this.timeoutMs = timeoutMs;
    }

    CompletableFuture<Long> propertyGet(Property property) {
        return execute(
                "Property Get of " + property,
                Kind.FABRICS,
                sqe -> PropertyCommand.encodeGet(sqe, property),
                DataDirection.NONE,
                null);
    }

    CompletableFuture<Long> propertySet(Property property, long value) {
        return execute(
                "Property Set of " + property,
                Kind.FABRICS,
                sqe -> PropertyCommand.encodeSet(sqe, property, value),
                DataDirection.NONE,
                null);
    }

    /**
     * Reads a property until it is as wanted.
     *
     * @return the value; fails with a {@link ControllerException} that begins with {@code what} when the time is over
     */
    CompletableFuture<Long> propertyPoll(Property property, LongPredicate wanted, long withinMs, String what) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(withinMs);
        CompletableFuture<Long> done = new CompletableFuture<>();
        poll(property, wanted, deadline, done, what + " within " + withinMs + " ms");
        return done;
    }

    private void poll(
            Property property, LongPredicate wanted, long deadline, CompletableFuture<Long> done, String lateMessage) {
        propertyGet(property).whenComplete((value, failure) -> {
            if (failure != null) {
                done.completeExceptionally(Futures.cause(failure));
            } else if (wanted.test(value)) {
                done.complete(value);
            } else if (deadline - System.nanoTime() < 0) {
                done.completeExceptionally(new ControllerException(lateMessage));
            } else {
                queue.loop()
                        .schedule(
                                () -> poll(property, wanted, deadline, done, lateMessage),
                                POLL_MS,
                                TimeUnit.MILLISECONDS);
            }
        });
    }

    /** Reads one of the 4096-byte structures of Identify. */
    CompletableFuture<ByteBuffer> identify(int cns, long nsid, int csi) {
        ByteBuffer data = direct(IdentifyCommand.DATA_BYTES);
        return execute(
                        String.format("Identify (CNS %02Xh)", cns),
                        Kind.ADMIN,
                        sqe -> IdentifyCommand.encode(sqe, cns, nsid, 0, csi),
                        DataDirection.CONTROLLER_TO_HOST,
                        data)
                .thenApply(result -> data);
    }

    CompletableFuture<Long> getFeature(int featureId, int select, long nsid) {
        return execute(
                String.format("Get Features (FID %02Xh)", featureId),
                Kind.ADMIN,
                sqe -> FeaturesCommand.encodeGet(sqe, featureId, select).nsid(nsid),
                DataDirection.NONE,
                null);
    }

    CompletableFuture<Long> setFeature(int featureId, long value, long nsid) {
        return execute(
                String.format("Set Features (FID %02Xh)", featureId),
                Kind.ADMIN,
                sqe -> FeaturesCommand.encodeSet(sqe, featureId, value).nsid(nsid),
                DataDirection.NONE,
                null);
    }

    /**
     * Any command.
     *
     * @param fill writes the entry, but for CID and SGL1
     * @param data a direct buffer whose bytes between position and limit are the data, or null
     */
    CompletableFuture<Long> execute(
            String what, Kind kind, Consumer<Sqe> fill, DataDirection direction, ByteBuffer data) {
        return queue.execute(what, kind, request -> {
            fill.accept(request.sqe());
            request.direction(direction).timeoutMs(timeoutMs);
            if (data != null) {
                request.add(data);
            }
        });
    }

    /** The direction that an entry's opcode, or FCTYPE, tells. */
    static DataDirection directionOf(Sqe sqe) {
        int code = sqe.opcode() == Opcode.FABRICS ? sqe.fabricsType() : sqe.opcode();
        return switch (code & 0x3) {
            case 0 -> DataDirection.NONE;
            case 1 -> DataDirection.HOST_TO_CONTROLLER;
            case 2 -> DataDirection.CONTROLLER_TO_HOST;
            default ->
                throw new IllegalArgumentException(
                        String.format("Commands with data in both directions (%02Xh) are not supported", code));
        };
    }

    static ByteBuffer direct(int lengthBytes) {
        return ByteBuffer.allocateDirect(lengthBytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
