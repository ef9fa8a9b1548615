package io.nvmf.conformance.suite;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.identify.IdentifyNamespace;
import io.nvmf.codec.reservation.ReservationCommand;
import io.nvmf.codec.reservation.ReservationStatus;
import io.nvmf.codec.reservation.ReservationStatus.Registrant;
import io.nvmf.codec.reservation.ReservationType;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Reservation Register and Reservation Report: who is registered, with which key. */
@SuiteName("IO.RESV")
public final class ReservationCommandsSuite extends ReservationSuite {
    // ---- Register

    @Check(
            says = "Register: the report names the host and its key, and no reservation",
            source = "NVMe Base 2.0 s7.3",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void register() throws IOException {
        reserving(() -> {
            register(first(), FIRST_KEY);
            Registrant registrant = expectRegistered(firstId(), FIRST_KEY);
            expect(!registrant.holdsReservation(), "no holder", registrant);
            expectRegistrants(1);
            expectNoReservation();
        });
    }

    @Check(
            says = "Register of two hosts: the report names both",
            source = "NVMe Base 2.0 s7.3",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void registerBoth() throws IOException {
        reserving(() -> {
            register(first(), FIRST_KEY);
            register(second(), SECOND_KEY);
            expectRegistered(firstId(), FIRST_KEY);
            expectRegistered(secondId(), SECOND_KEY);
            expectRegistrants(2);
        });
    }

    @Check(
            says = "Register of one host through two controllers: one registrant, for a host is its HOSTID",
            source = "NVMe Base 2.0 s8.19",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void registerThroughTwoControllers() throws IOException {
        reserving(() -> {
            register(first(), FIRST_KEY);
            register(associate().io(), FIRST_KEY);
            ReservationStatus status = report(first());
            expect(
                    status.registrants().stream().allMatch(this::isFirst),
                    "registrants of one host",
                    status.registrants());
        });
    }

    @Check(
            says = "Register again with the same key: success",
            source = "NVMe Base 2.0 s7.3",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void registerAgain() throws IOException {
        reserving(() -> {
            register(first(), FIRST_KEY);
            register(first(), FIRST_KEY);
            expectRegistered(firstId(), FIRST_KEY);
            expectRegistrants(1);
        });
    }

    @Check(
            says = "Register again with another key: Reservation Conflict, and the key stays",
            source = "NVMe Base 2.0 s7.3",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void registerOtherKey() throws IOException {
        reserving(() -> {
            register(first(), FIRST_KEY);
            expectConflict(register(first(), ReservationCommand.REGISTER, false, 0, OTHER_KEY));
            expectRegistered(firstId(), FIRST_KEY);
        });
    }

    @Check(
            says = "Register with key 0: Invalid Field",
            source = "NVMe Base 2.0 s7.3",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void keyZero() throws IOException {
        reserving(() -> {
            expectStatus(register(first(), ReservationCommand.REGISTER, false, 0, 0), Status.INVALID_FIELD);
            expectRegistrants(0);
        });
    }

    @Check(
            says = "Register with a reserved action: Invalid Field",
            source = "NVMe Base 2.0 s7.3 (RREGA)",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void reservedAction() throws IOException {
        reserving(() -> {
            expectStatus(register(first(), 5, false, 0, FIRST_KEY), Status.INVALID_FIELD);
            expectRegistrants(0);
        });
    }

    @Check(
            says = "Replace with the current key: the report says the new one",
            source = "NVMe Base 2.0 s7.3",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void replace() throws IOException {
        reserving(() -> {
            register(first(), FIRST_KEY);
            Answer answer = register(first(), ReservationCommand.REPLACE, false, FIRST_KEY, OTHER_KEY);
            expectSuccess(answer, "Replace");
            expectRegistered(firstId(), OTHER_KEY);
        });
    }

    @Check(
            says = "Replace with another key than the current: Reservation Conflict, and the key stays",
            source = "NVMe Base 2.0 s7.3",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void replaceWrongKey() throws IOException {
        reserving(() -> {
            register(first(), FIRST_KEY);
            expectConflict(register(first(), ReservationCommand.REPLACE, false, OTHER_KEY, OTHER_KEY));
            expectRegistered(firstId(), FIRST_KEY);
        });
    }

    @Check(
            says = "Replace with IEKEY and another key than the current: the report says the new one",
            source = "NVMe Base 2.0 s7.3 (IEKEY)",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void replaceIgnoringKey() throws IOException {
        reserving(() -> {
            register(first(), FIRST_KEY);
            expectSuccess(register(first(), ReservationCommand.REPLACE, true, 0, OTHER_KEY), "Replace with IEKEY");
            expectRegistered(firstId(), OTHER_KEY);
        });
    }

    @Check(
            says = "Replace without registration: Reservation Conflict",
            source = "NVMe Base 2.0 s7.3",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void replaceUnregistered() throws IOException {
        reserving(() -> {
            expectConflict(register(first(), ReservationCommand.REPLACE, false, FIRST_KEY, OTHER_KEY));
            expectRegistrants(0);
        });
    }

    @Check(
            says = "Unregister: the report names the host no more",
            source = "NVMe Base 2.0 s7.3",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void unregister() throws IOException {
        reserving(() -> {
            register(first(), FIRST_KEY);
            register(second(), SECOND_KEY);
            expectSuccess(register(first(), ReservationCommand.UNREGISTER, false, FIRST_KEY, 0), "Unregister");
            expectRegistered(secondId(), SECOND_KEY);
            expectRegistrants(1);
        });
    }

    @Check(
            says = "Unregister with another key than the current: Reservation Conflict, and the host stays registered",
            source = "NVMe Base 2.0 s7.3",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void unregisterWrongKey() throws IOException {
        reserving(() -> {
            register(first(), FIRST_KEY);
            expectConflict(register(first(), ReservationCommand.UNREGISTER, false, OTHER_KEY, 0));
            expectRegistered(firstId(), FIRST_KEY);
        });
    }

    @Check(
            says = "Unregister without registration: Reservation Conflict",
            source = "NVMe Base 2.0 s7.3",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void unregisterUnregistered() throws IOException {
        reserving(() -> expectConflict(register(first(), ReservationCommand.UNREGISTER, false, FIRST_KEY, 0)));
    }

    @Check(
            says = "Unregister of the holder: the reservation is released",
            source = "NVMe Base 2.0 s8.19.2",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void unregisterHolder() throws IOException {
        needsType(ReservationType.WRITE_EXCLUSIVE);
        reserving(() -> {
            register(first(), FIRST_KEY);
            register(second(), SECOND_KEY);
            acquire(first(), ReservationType.WRITE_EXCLUSIVE, FIRST_KEY);
            expectSuccess(register(first(), ReservationCommand.UNREGISTER, false, FIRST_KEY, 0), "Unregister");
            expectNoReservation();
            expectRegistered(secondId(), SECOND_KEY);
        });
    }

    @Check(
            says = "Register with CPTPL 3: PTPLS is 1 when RESCAP offers it, else Invalid Field",
            source = "NVMe Base 2.0 s7.3 (CPTPL)",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void persistence() throws IOException {
        reserving(() -> {
            Answer answer = registerPersistently(ReservationCommand.PERSISTENCE_ON);
            if (!facts().namespace().has(IdentifyNamespace.Field.RESCAP, IdentifyNamespace.RESCAP_PERSISTS)) {
                expectStatus(answer, Status.INVALID_FIELD);
                return;
            }
            expectSuccess(answer, "Register with CPTPL 3");
            expect(report(first()).persistent(), "PTPLS 1", "PTPLS 0");
            expectSuccess(registerPersistently(ReservationCommand.PERSISTENCE_OFF), "Register with CPTPL 2");
            expect(!report(first()).persistent(), "PTPLS 0", "PTPLS 1");
        });
    }

    private Answer registerPersistently(int persistence) throws IOException {
        Sqe sqe = ReservationCommand.encodeRegister(
                Sqe.allocate(), nsid(), ReservationCommand.REGISTER, false, persistence);
        return execute(first(), sqe, keys(0, FIRST_KEY));
    }

    private void expectConflict(Answer answer) {
        expectStatus(answer, Status.RESERVATION_CONFLICT);
    }

    // ---- Report

    @Check(
            says = "Report without EDS: Host Identifier Inconsistent Format",
            source = "NVMe Base 2.0 s7.5: HOSTIDs have 128 bits over fabrics",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void reportWithoutEds() throws IOException {
        reserving(() -> {
            Sqe sqe = ReservationCommand.encodeReport(Sqe.allocate(), nsid(), ReservationStatus.HEADER_BYTES)
                    .cdw(11, 0);
            expectStatus(
                    execute(first(), sqe, Payload.in(ReservationStatus.HEADER_BYTES)),
                    Status.HOST_ID_INCONSISTENT_FORMAT);
        });
    }

    @Check(
            says = "Report into 64 bytes while two hosts are registered: the header, which says 2",
            source = "NVMe Base 2.0 s7.5",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void reportHeaderOnly() throws IOException {
        reserving(() -> {
            register(first(), FIRST_KEY);
            register(second(), SECOND_KEY);
            Sqe sqe = ReservationCommand.encodeReport(Sqe.allocate(), nsid(), ReservationStatus.HEADER_BYTES);
            Answer answer = expectSuccess(
                    execute(first(), sqe, Payload.in(ReservationStatus.HEADER_BYTES)), "Reservation Report");
            ByteBuffer header = ByteBuffer.wrap(answer.data()).order(ByteOrder.LITTLE_ENDIAN);
            expectEquals(2, ReservationStatus.registrantCount(header, 0), "REGSTRNT");
        });
    }

    @Check(
            says = "GEN: each Register and Unregister moves it on by one, and Acquire and Release leave it",
            source = "NVMe Base 2.0 s7.5 (GEN)",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void generation() throws IOException {
        needsType(ReservationType.WRITE_EXCLUSIVE);
        reserving(() -> {
            long before = report(first()).generation();
            register(first(), FIRST_KEY);
            expectGeneration(before + 1, "Register");
            register(second(), SECOND_KEY);
            expectGeneration(before + 2, "the second host's Register");
            acquire(first(), ReservationType.WRITE_EXCLUSIVE, FIRST_KEY);
            expectGeneration(before + 2, "Acquire");
            expectSuccess(release(first(), releasing(ReservationType.WRITE_EXCLUSIVE), FIRST_KEY), "Release");
            expectGeneration(before + 2, "Release");
            expectSuccess(register(second(), ReservationCommand.UNREGISTER, false, SECOND_KEY, 0), "Unregister");
            expectGeneration(before + 3, "Unregister");
        });
    }

    private void expectGeneration(long expected, String after) throws IOException {
        expectEquals(expected & 0xFFFF_FFFFL, report(first()).generation(), "after " + after + " GEN");
    }
}
