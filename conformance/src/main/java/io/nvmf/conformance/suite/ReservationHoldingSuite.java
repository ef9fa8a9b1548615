package io.nvmf.conformance.suite;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.feature.AsyncEvent;
import io.nvmf.codec.feature.FeatureId;
import io.nvmf.codec.feature.FeaturesCommand;
import io.nvmf.codec.identify.IdentifyNamespace;
import io.nvmf.codec.log.GetLogPageCommand;
import io.nvmf.codec.log.LogPageId;
import io.nvmf.codec.log.ReservationNotification;
import io.nvmf.codec.reservation.ReservationCommand;
import io.nvmf.codec.reservation.ReservationType;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.RawQueue;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Reservation Acquire and Reservation Release: who holds the reservation, and who is told of it. */
@SuiteName("IO.RESVHOLD")
public final class ReservationHoldingSuite extends ReservationSuite {
    private static final ReservationType TYPE = ReservationType.WRITE_EXCLUSIVE;
    private static final ReservationType SHARED = ReservationType.WRITE_EXCLUSIVE_REGISTRANTS_ONLY;
    private static final int RESERVED_TYPE = 7;

    // ---- Acquire

    @Check(
            says = "Acquire of each type that RESCAP offers: the report says the type and the holder",
            source = "NVMe Base 2.0 s7.2",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void acquireEachType() throws IOException {
        reserving(() -> {
            register(first(), FIRST_KEY);
            for (ReservationType type : ReservationType.values()) {
                if (facts().namespace().has(IdentifyNamespace.Field.RESCAP, 1L << type.number())) {
                    acquire(first(), type, FIRST_KEY);
                    expectHolder(firstId(), type);
                    expectSuccess(release(first(), releasing(type), FIRST_KEY), "Release");
                    expectNoReservation();
                }
            }
        });
    }

    @Check(
            says = "Acquire without registration: Reservation Conflict",
            source = "NVMe Base 2.0 s7.2",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void acquireUnregistered() throws IOException {
        holding(() -> {
            expectConflict(acquire(first(), ReservationCommand.ACQUIRE, TYPE, FIRST_KEY, 0));
            expectNoReservation();
        });
    }

    @Check(
            says = "Acquire with another key than the registered: Reservation Conflict",
            source = "NVMe Base 2.0 s7.2",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void acquireWrongKey() throws IOException {
        holding(() -> {
            register(first(), FIRST_KEY);
            expectConflict(acquire(first(), ReservationCommand.ACQUIRE, TYPE, OTHER_KEY, 0));
            expectNoReservation();
        });
    }

    @Check(
            says = "Acquire of what another host holds: Reservation Conflict, and the holder stays",
            source = "NVMe Base 2.0 s7.2",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void acquireHeldByOther() throws IOException {
        holding(() -> {
            holdAsFirst(TYPE);
            expectConflict(acquire(second(), ReservationCommand.ACQUIRE, TYPE, SECOND_KEY, 0));
            expectHolder(firstId(), TYPE);
        });
    }

    @Check(
            says = "Acquire by the holder: success of the same type, Reservation Conflict of another",
            source = "NVMe Base 2.0 s7.2",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void acquireAgain() throws IOException {
        holding(() -> {
            holdAsFirst(TYPE);
            acquire(first(), TYPE, FIRST_KEY);
            expectConflict(acquire(first(), ReservationCommand.ACQUIRE, SHARED, FIRST_KEY, 0));
            expectHolder(firstId(), TYPE);
        });
    }

    @Check(
            says = "Acquire of a reserved type: Invalid Field",
            source = "NVMe Base 2.0 s7.2 (RTYPE)",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void acquireReservedType() throws IOException {
        reserving(() -> {
            register(first(), FIRST_KEY);
            Sqe sqe = Sqe.allocate()
                    .clear(Opcode.Nvm.RESERVATION_ACQUIRE)
                    .nsid(nsid())
                    .cdw(10, RESERVED_TYPE << 8);
            expectStatus(execute(first(), sqe, keys(FIRST_KEY, 0)), Status.INVALID_FIELD);
            expectNoReservation();
        });
    }

    // ---- Release

    @Check(
            says = "Release of another type than is held: Invalid Field, and the holder stays",
            source = "NVMe Base 2.0 s7.4",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void releaseWrongType() throws IOException {
        holding(() -> {
            holdAsFirst(TYPE);
            expectStatus(release(first(), releasing(SHARED), FIRST_KEY), Status.INVALID_FIELD);
            expectHolder(firstId(), TYPE);
        });
    }

    @Check(
            says = "Release with another key than the registered: Reservation Conflict, and the holder stays",
            source = "NVMe Base 2.0 s7.4",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void releaseWrongKey() throws IOException {
        holding(() -> {
            holdAsFirst(TYPE);
            expectConflict(release(first(), releasing(TYPE), OTHER_KEY));
            expectHolder(firstId(), TYPE);
        });
    }

    @Check(
            says = "Release by a registrant that holds nothing: success, and the holder stays",
            source = "NVMe Base 2.0 s7.4",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void releaseByOther() throws IOException {
        holding(() -> {
            holdAsFirst(TYPE);
            expectSuccess(release(second(), releasing(TYPE), SECOND_KEY), "Release");
            expectHolder(firstId(), TYPE);
        });
    }

    @Check(
            says = "Clear by any registrant: no reservation and no registrants",
            source = "NVMe Base 2.0 s7.4",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void clear() throws IOException {
        holding(() -> {
            holdAsFirst(TYPE);
            expectSuccess(release(second(), clearing(), SECOND_KEY), "Clear");
            expectNoReservation();
            expectRegistrants(0);
        });
    }

    // ---- Preempt

    @Check(
            says = "Preempt of a registrant by the holder: it is registered no more, and the holder stays",
            source = "NVMe Base 2.0 s8.19.5",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void preemptRegistrant() throws IOException {
        holding(() -> {
            holdAsFirst(TYPE);
            preempt(ReservationCommand.PREEMPT);
            expectRegistrants(1);
            expectHolder(firstId(), TYPE);
        });
    }

    @Check(
            says = "Preempt of the holder: whoever preempts holds the reservation, and the other is registered no more",
            source = "NVMe Base 2.0 s8.19.5",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void preemptHolder() throws IOException {
        holding(() -> {
            holdAsSecond();
            preempt(ReservationCommand.PREEMPT);
            expectRegistrants(1);
            expectHolder(firstId(), TYPE);
        });
    }

    @Check(
            says = "Preempt and Abort of the holder: as Preempt, and it completes",
            source = "NVMe Base 2.0 s8.19.6",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void preemptAndAbort() throws IOException {
        holding(() -> {
            holdAsSecond();
            preempt(ReservationCommand.PREEMPT_AND_ABORT);
            expectRegistrants(1);
            expectHolder(firstId(), TYPE);
        });
    }

    @Check(
            says = "Preempt of a key that nobody has registered: Reservation Conflict",
            source = "NVMe Base 2.0 s8.19.5",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void preemptUnknownKey() throws IOException {
        holding(() -> {
            holdAsFirst(TYPE);
            expectConflict(acquire(first(), ReservationCommand.PREEMPT, TYPE, FIRST_KEY, OTHER_KEY));
            expectRegistrants(2);
            expectHolder(firstId(), TYPE);
        });
    }

    /** The first host preempts the second. */
    private void preempt(int action) throws IOException {
        expectSuccess(acquire(first(), action, TYPE, FIRST_KEY, SECOND_KEY), "Preempt");
    }

    // ---- who is told

    @Check(
            says = "A host is preempted: it is told by an event, and log page 80h says Registration Preempted, once",
            source = "NVMe Base 2.0 s5.16.1.24",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void noticeOfPreemption() throws IOException {
        holding(() -> {
            holdAsFirst(TYPE);
            RawQueue told = secondController().admin();
            int request = told.submit(Sqe.allocate().clear(Opcode.Admin.ASYNC_EVENT_REQUEST), Payload.NONE);
            preempt(ReservationCommand.PREEMPT);
            expectNotice(told, request, ReservationNotification.TYPE_REGISTRATION_PREEMPTED);
            expectEquals(ReservationNotification.TYPE_EMPTY, notification(told).type(), "the type of the next page");
        });
    }

    @Check(
            says =
                    "A reservation of registrants is released: they are told by an event, and log page 80h says Reservation Released",
            source = "NVMe Base 2.0 s5.16.1.24",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void noticeOfRelease() throws IOException {
        holding(() -> {
            holdAsFirst(SHARED);
            RawQueue told = secondController().admin();
            int request = told.submit(Sqe.allocate().clear(Opcode.Admin.ASYNC_EVENT_REQUEST), Payload.NONE);
            expectSuccess(release(first(), releasing(SHARED), FIRST_KEY), "Release");
            expectNotice(told, request, ReservationNotification.TYPE_RESERVATION_RELEASED);
        });
    }

    @Check(
            says =
                    "Registrants are cleared by another host: they are told by an event, and log page 80h says Reservation Preempted",
            source = "NVMe Base 2.0 s5.16.1.24",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void noticeOfClear() throws IOException {
        holding(() -> {
            holdAsFirst(TYPE);
            RawQueue told = secondController().admin();
            int request = told.submit(Sqe.allocate().clear(Opcode.Admin.ASYNC_EVENT_REQUEST), Payload.NONE);
            expectSuccess(release(first(), clearing(), FIRST_KEY), "Clear");
            expectNotice(told, request, ReservationNotification.TYPE_RESERVATION_PREEMPTED);
        });
    }

    @Check(
            says =
                    "Reservation Released is masked by feature 82h: the host is told of the preemption after it, and of nothing else",
            source = "NVMe Base 2.0 s5.27.1.26",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void maskedNotice() throws IOException {
        holding(() -> {
            holdAsFirst(SHARED);
            long mask = 1L << ReservationNotification.TYPE_RESERVATION_RELEASED;
            Sqe feature = FeaturesCommand.encodeSet(Sqe.allocate(), FeatureId.RESERVATION_NOTIFICATION_MASK, mask)
                    .nsid(nsid());
            expectSuccess(secondController().admin(feature), "Set Features 82h");
            RawQueue told = secondController().admin();
            int request = told.submit(Sqe.allocate().clear(Opcode.Admin.ASYNC_EVENT_REQUEST), Payload.NONE);
            expectSuccess(release(first(), releasing(SHARED), FIRST_KEY), "Release");
            preempt(ReservationCommand.PREEMPT);
            expectNotice(told, request, ReservationNotification.TYPE_REGISTRATION_PREEMPTED);
        });
    }

    private void expectNotice(RawQueue told, int request, int type) throws IOException {
        Answer event = expectSuccess(told.await(request, answerMs()), "Asynchronous Event Request");
        expectEquals(AsyncEvent.RESERVATION_LOG_AVAILABLE, AsyncEvent.decode(event.dw0()), "the event");
        ReservationNotification notification = notification(told);
        expectEquals(type, notification.type(), "the notification's type");
        expectEquals(nsid(), notification.nsid(), "the notification's NSID");
        expect(notification.count() != 0, "a notification that is counted", notification);
    }

    private ReservationNotification notification(RawQueue admin) throws IOException {
        Sqe sqe = GetLogPageCommand.encode(
                        Sqe.allocate(), LogPageId.RESERVATION_NOTIFICATION, ReservationNotification.BYTES, 0)
                .nsid(Sqe.NSID_ALL);
        Answer answer =
                expectSuccess(execute(admin, sqe, Payload.in(ReservationNotification.BYTES)), "Get Log Page 80h");
        return ReservationNotification.decode(ByteBuffer.wrap(answer.data()).order(ByteOrder.LITTLE_ENDIAN), 0);
    }

    // ---- who holds it

    private void holding(Body body) throws IOException {
        skipUnless(facts().nsid() != 0, "there is no namespace");
        needsType(TYPE);
        needsType(SHARED);
        reserving(body);
    }

    /** Both are registered, the first holds. */
    private void holdAsFirst(ReservationType type) throws IOException {
        register(first(), FIRST_KEY);
        register(second(), SECOND_KEY);
        acquire(first(), type, FIRST_KEY);
        expectHolder(firstId(), type);
    }

    /** Both are registered, the second holds, and the first may do everything. */
    private void holdAsSecond() throws IOException {
        register(first(), FIRST_KEY);
        register(second(), SECOND_KEY);
        acquire(second(), SHARED, SECOND_KEY);
        expectHolder(secondId(), SHARED);
    }

    private void expectConflict(Answer answer) {
        expectStatus(answer, Status.RESERVATION_CONFLICT);
    }
}
