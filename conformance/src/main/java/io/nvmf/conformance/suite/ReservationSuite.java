package io.nvmf.conformance.suite;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyNamespace;
import io.nvmf.codec.reservation.ReservationCommand;
import io.nvmf.codec.reservation.ReservationKeys;
import io.nvmf.codec.reservation.ReservationStatus;
import io.nvmf.codec.reservation.ReservationStatus.Registrant;
import io.nvmf.codec.reservation.ReservationType;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.CheckFailure;
import io.nvmf.conformance.ConnectSpec;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.RawQueue;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.UUID;

/**
 * What checks of reservations have in common: two hosts. The first is the one as which all other checks appear; because some of
 * them run beside these, it is never kept away from the namespace.
 */
abstract class ReservationSuite extends IoSuite {
    static final long FIRST_KEY = 0xA1A1_0000_0000_0001L;
    static final long SECOND_KEY = 0xB2B2_0000_0000_0002L;
    static final long OTHER_KEY = 0xC3C3_0000_0000_0003L;

    private static final int REPORT_BYTES = 4096;

    private Association secondController;
    private RawQueue secondQueue;

    /** A check between the moments when nobody has registered. */
    interface Body {
        void run() throws IOException;
    }

    /** Runs a check on a namespace without registrants, and leaves it without. */
    final void reserving(Body body) throws IOException {
        controller();
        needsCommand(IdentifyController.ONCS_RESERVATIONS, "reservations");
        List<Registrant> foreign = report(queue()).registrants().stream()
                .filter(registrant -> !isFirst(registrant) && !isSecond(registrant))
                .toList();
        skipUnless(foreign.isEmpty(), "another host has registered with the namespace");
        clear();
        try {
            body.run();
        } finally {
            clear();
        }
    }

    private void clear() throws IOException {
        RawQueue first = associate().io();
        for (Registrant registrant : report(first).registrants()) {
            RawQueue queue = isFirst(registrant) ? first : associateSecond().io();
            expectSuccess(release(queue, clearing(), registrant.key()), "Clear");
            return;
        }
    }

    final boolean isFirst(Registrant registrant) {
        return registrant.hostId().equals(bench().target().hostId());
    }

    final boolean isSecond(Registrant registrant) {
        return registrant.hostId().equals(bench().target().secondHostId());
    }

    // ---- hosts

    final RawQueue first() throws IOException {
        return queue();
    }

    final RawQueue second() throws IOException {
        if (secondQueue == null) {
            secondQueue = secondController().io();
        }
        return secondQueue;
    }

    final Association secondController() throws IOException {
        if (secondController == null) {
            secondController = associateSecond();
        }
        return secondController;
    }

    /** A controller of the second host: with a HOSTNQN of its own, or with the first's where only that one may come in. */
    private Association associateSecond() throws IOException {
        UUID hostId = bench().target().secondHostId();
        ConnectSpec ownName = connect().hostId(hostId).hostNqn("nqn.2014-08.org.nvmexpress:uuid:" + hostId);
        try {
            return bench().associate(ownName).enable();
        } catch (CheckFailure refused) {
            bench().trace().note("", "a host of another name is refused: " + refused.got());
        }
        try {
            return bench().associate(connect().hostId(hostId)).enable();
        } catch (CheckFailure refused) {
            skip("the target lets no second host in: " + refused.got());
            throw refused;
        }
    }

    /** Registers with the namespace; fails when that is refused. */
    final void register(RawQueue host, long key) throws IOException {
        expectSuccess(register(host, ReservationCommand.REGISTER, false, 0, key), "Reservation Register");
    }

    final void acquire(RawQueue host, ReservationType type, long key) throws IOException {
        expectSuccess(acquire(host, ReservationCommand.ACQUIRE, type, key, 0), "Reservation Acquire");
    }

    // ---- commands

    final Answer register(RawQueue host, int action, boolean ignoreKey, long current, long next) throws IOException {
        Sqe sqe = ReservationCommand.encodeRegister(
                Sqe.allocate(), nsid(), action, ignoreKey, ReservationCommand.PERSISTENCE_UNCHANGED);
        return execute(host, sqe, keys(current, next));
    }

    final Answer acquire(RawQueue host, int action, ReservationType type, long current, long preempted)
            throws IOException {
        Sqe sqe = ReservationCommand.encodeAcquire(Sqe.allocate(), nsid(), action, type);
        return execute(host, sqe, keys(current, preempted));
    }

    final Sqe clearing() {
        return ReservationCommand.encodeClear(Sqe.allocate(), nsid());
    }

    final Sqe releasing(ReservationType type) {
        return ReservationCommand.encodeRelease(Sqe.allocate(), nsid(), type);
    }

    final Answer release(RawQueue host, Sqe sqe, long current) throws IOException {
        ByteBuffer data = Bytes.allocate(ReservationKeys.RELEASE_BYTES);
        data.putLong(0, current);
        return execute(host, sqe, out(data.array()));
    }

    final Payload keys(long current, long other) {
        ByteBuffer data = Bytes.allocate(ReservationKeys.BYTES);
        new ReservationKeys(current, other).encode(data, 0);
        return out(data.array());
    }

    final ReservationStatus report(RawQueue host) throws IOException {
        Sqe sqe = ReservationCommand.encodeReport(Sqe.allocate(), nsid(), REPORT_BYTES);
        Answer answer = expectSuccess(execute(host, sqe, Payload.in(REPORT_BYTES)), "Reservation Report");
        return ReservationStatus.decode(ByteBuffer.wrap(answer.data()).order(ByteOrder.LITTLE_ENDIAN), 0, REPORT_BYTES);
    }

    // ---- expect

    /** Fails unless the report says of a host that it has registered this key. */
    final Registrant expectRegistered(UUID hostId, long key) throws IOException {
        List<Registrant> registrants = report(first()).registrants();
        Registrant found = registrants.stream()
                .filter(registrant -> registrant.hostId().equals(hostId))
                .findFirst()
                .orElse(null);
        expect(found != null, "a report that names HOSTID " + hostId, registrants);
        expectEquals(Long.toHexString(key) + "h", Long.toHexString(found.key()) + "h", "RKEY");
        return found;
    }

    final void expectRegistrants(int count) throws IOException {
        List<Registrant> registrants = report(first()).registrants();
        expect(registrants.size() == count, count + " registrants", registrants);
    }

    /** Fails unless the report says that this host alone holds a reservation of this type. */
    final void expectHolder(UUID hostId, ReservationType type) throws IOException {
        ReservationStatus status = report(first());
        expectEquals(type, status.type(), "RTYPE");
        for (Registrant registrant : status.registrants()) {
            boolean holds = registrant.hostId().equals(hostId);
            expect(registrant.holdsReservation() == holds, hostId + " to hold the reservation alone", status);
        }
    }

    final void expectNoReservation() throws IOException {
        ReservationStatus status = report(first());
        expect(status.type() == null, "no reservation", status);
    }

    final void needsType(ReservationType type) {
        skipUnless(
                facts().namespace().has(IdentifyNamespace.Field.RESCAP, 1L << type.number()),
                "RESCAP does not offer " + type);
    }

    final UUID firstId() {
        return bench().target().hostId();
    }

    final UUID secondId() {
        return bench().target().secondHostId();
    }
}
