package io.nvmf.initiator.namespace;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.reservation.ReservationCommand;
import io.nvmf.codec.reservation.ReservationKeys;
import io.nvmf.codec.reservation.ReservationStatus;
import io.nvmf.codec.reservation.ReservationType;
import io.nvmf.initiator.transport.DataDirection;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The reservations of a namespace (NVMe Base 2.0 s8.19). A host registers a key, and may then acquire the namespace; whom
 * that keeps out {@link ReservationType} says, and they see {@link io.nvmf.codec.Status#RESERVATION_CONFLICT}. Any thread;
 * nothing blocks. None of these commands is sent twice: after {@link io.nvmf.codec.Status#HOST_PATHING_ERROR} ask for a
 * {@link #report}.
 */
public final class Reservations {
    private static final int FIRST_REPORT_BYTES = 4096;
    private static final int REPORT_ATTEMPTS = 3;

    private final Namespace namespace;
    private final int maxReportBytes;

    Reservations(Namespace namespace, long maxTransferBytes) {
        this.namespace = namespace;
        maxReportBytes = (int) Math.min(
                maxTransferBytes & ~3, ReservationStatus.HEADER_BYTES + 0xFFFF * ReservationStatus.REGISTRANT_BYTES);
    }

    /**
     * Registers this host.
     *
     * @param key any but 0
     * @param persistence see {@link ReservationCommand#PERSISTENCE_UNCHANGED}
     */
    public CompletableFuture<Void> register(long key, int persistence) {
        return send(
                "Reservation Register",
                sqe -> ReservationCommand.encodeRegister(
                        sqe, namespace.nsid(), ReservationCommand.REGISTER, false, persistence),
                keys(0, key));
    }

    /** Another key for this host, registered by {@code current}. */
    public CompletableFuture<Void> replace(long current, long key) {
        return send(
                "Reservation Register",
                sqe -> ReservationCommand.encodeRegister(
                        sqe,
                        namespace.nsid(),
                        ReservationCommand.REPLACE,
                        false,
                        ReservationCommand.PERSISTENCE_UNCHANGED),
                keys(current, key));
    }

    /** Ends this host's registration, and the reservation if it is the holder. */
    public CompletableFuture<Void> unregister(long current) {
        return send(
                "Reservation Register",
                sqe -> ReservationCommand.encodeRegister(
                        sqe,
                        namespace.nsid(),
                        ReservationCommand.UNREGISTER,
                        false,
                        ReservationCommand.PERSISTENCE_UNCHANGED),
                keys(current, 0));
    }

    /** Reserves the namespace for this host. */
    public CompletableFuture<Void> acquire(long current, ReservationType type) {
        return acquire(current, 0, ReservationCommand.ACQUIRE, type);
    }

    /**
     * Takes the registrations with another key away, and with the holder's the reservation.
     *
     * @param abort whether commands that those hosts have sent are to be aborted
     */
    public CompletableFuture<Void> preempt(long current, long preempted, ReservationType type, boolean abort) {
        return acquire(
                current, preempted, abort ? ReservationCommand.PREEMPT_AND_ABORT : ReservationCommand.PREEMPT, type);
    }

    private CompletableFuture<Void> acquire(long current, long preempted, int action, ReservationType type) {
        return send(
                "Reservation Acquire",
                sqe -> ReservationCommand.encodeAcquire(sqe, namespace.nsid(), action, type),
                keys(current, preempted));
    }

    /** Ends the reservation, of this type, that this host holds. */
    public CompletableFuture<Void> release(long current, ReservationType type) {
        return send(
                "Reservation Release",
                sqe -> ReservationCommand.encodeRelease(sqe, namespace.nsid(), type),
                keys(current, 0).limit(ReservationKeys.RELEASE_BYTES));
    }

    /** Ends the reservation and all registrations, whosoever they are. */
    public CompletableFuture<Void> clear(long current) {
        return send(
                "Reservation Release",
                sqe -> ReservationCommand.encodeClear(sqe, namespace.nsid()),
                keys(current, 0).limit(ReservationKeys.RELEASE_BYTES));
    }

    /** Who is registered, and who holds a reservation. Names as many registrants as one command can tell. */
    public CompletableFuture<ReservationStatus> report() {
        return report(Math.min(FIRST_REPORT_BYTES, maxReportBytes), REPORT_ATTEMPTS);
    }

    private CompletableFuture<ReservationStatus> report(int lengthBytes, int attemptsLeft) {
        ByteBuffer data = ByteBuffer.allocateDirect(lengthBytes).order(ByteOrder.LITTLE_ENDIAN);
        return namespace
                .command(
                        "Reservation Report",
                        sqe -> ReservationCommand.encodeReport(sqe, namespace.nsid(), lengthBytes),
                        DataDirection.CONTROLLER_TO_HOST,
                        data)
                .thenCompose(result -> {
                    long wantedBytes = ReservationStatus.HEADER_BYTES
                            + (long) ReservationStatus.REGISTRANT_BYTES * ReservationStatus.registrantCount(data, 0);
                    int next = (int) Math.min(wantedBytes, maxReportBytes);
                    return next > lengthBytes && attemptsLeft > 1
                            ? report(next, attemptsLeft - 1)
                            : CompletableFuture.completedFuture(ReservationStatus.decode(data, 0, lengthBytes));
                });
    }

    private static ByteBuffer keys(long current, long other) {
        ByteBuffer data = ByteBuffer.allocateDirect(ReservationKeys.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        new ReservationKeys(current, other).encode(data, 0);
        return data;
    }

    private CompletableFuture<Void> send(String what, Consumer<Sqe> fill, ByteBuffer data) {
        return namespace
                .command(what, fill, DataDirection.HOST_TO_CONTROLLER, data)
                .thenAccept(result -> {});
    }
}
