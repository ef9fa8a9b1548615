package io.nvmf.conformance.suite;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.nvm.DatasetManagementCommand;
import io.nvmf.codec.nvm.DatasetRange;
import io.nvmf.codec.reservation.ReservationType;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.RawQueue;
import java.io.IOException;
import java.nio.ByteBuffer;

/** What a host may do that does not hold the reservation, for each type. */
@SuiteName("IO.RESVACCESS")
public final class ReservationAccessSuite extends ReservationSuite {
    @Check(
            says =
                    "Another host holds Write Exclusive: reads are served, writes end with Reservation Conflict, registered or not",
            source = "NVMe Base 2.0 s8.19.1",
            level = Level.SHOULD,
            needs = {Needs.DATA_LOSS, Needs.DISRUPTION})
    void writeExclusive() throws IOException {
        expectAccess(ReservationType.WRITE_EXCLUSIVE);
    }

    @Check(
            says =
                    "Another host holds Exclusive Access: reads and writes end with Reservation Conflict, registered or not",
            source = "NVMe Base 2.0 s8.19.1",
            level = Level.SHOULD,
            needs = {Needs.DATA_LOSS, Needs.DISRUPTION})
    void exclusiveAccess() throws IOException {
        expectAccess(ReservationType.EXCLUSIVE_ACCESS);
    }

    @Check(
            says =
                    "Another host holds Write Exclusive - Registrants Only: reads are served, writes only of registrants",
            source = "NVMe Base 2.0 s8.19.1",
            level = Level.SHOULD,
            needs = {Needs.DATA_LOSS, Needs.DISRUPTION})
    void writeExclusiveRegistrantsOnly() throws IOException {
        expectAccess(ReservationType.WRITE_EXCLUSIVE_REGISTRANTS_ONLY);
    }

    @Check(
            says =
                    "Another host holds Exclusive Access - Registrants Only: reads and writes are served only of registrants",
            source = "NVMe Base 2.0 s8.19.1",
            level = Level.SHOULD,
            needs = {Needs.DATA_LOSS, Needs.DISRUPTION})
    void exclusiveAccessRegistrantsOnly() throws IOException {
        expectAccess(ReservationType.EXCLUSIVE_ACCESS_REGISTRANTS_ONLY);
    }

    @Check(
            says = "Another host holds Write Exclusive - All Registrants: reads are served, writes only of registrants",
            source = "NVMe Base 2.0 s8.19.1",
            level = Level.SHOULD,
            needs = {Needs.DATA_LOSS, Needs.DISRUPTION})
    void writeExclusiveAllRegistrants() throws IOException {
        expectAccess(ReservationType.WRITE_EXCLUSIVE_ALL_REGISTRANTS);
    }

    @Check(
            says =
                    "Another host holds Exclusive Access - All Registrants: reads and writes are served only of registrants",
            source = "NVMe Base 2.0 s8.19.1",
            level = Level.SHOULD,
            needs = {Needs.DATA_LOSS, Needs.DISRUPTION})
    void exclusiveAccessAllRegistrants() throws IOException {
        expectAccess(ReservationType.EXCLUSIVE_ACCESS_ALL_REGISTRANTS);
    }

    private void expectAccess(ReservationType type) throws IOException {
        needsType(type);
        reserving(() -> {
            byte[] before = pattern(type + ", before", 0, 4);
            write(first(), 0, before);
            register(first(), FIRST_KEY);
            acquire(first(), type, FIRST_KEY);
            write(first(), 0, before);

            expectReads(!type.excludesReads(), before);
            expectWrites(false, "a host that is not registered");
            expectContent(first(), 0, before, "what was there before");

            register(second(), SECOND_KEY);
            boolean in = type.letsRegistrantsIn();
            expectReads(in || !type.excludesReads(), before);
            expectWrites(in, "a registrant");
            if (!in) {
                expectContent(first(), 0, before, "what was there before");
            }
        });
    }

    private void expectReads(boolean served, byte[] content) throws IOException {
        expectServed(served, tryRead(second(), 0, 4), "Read");
        if (facts().supports(IdentifyController.ONCS_COMPARE)) {
            expectServed(served, execute(second(), on(Opcode.Nvm.COMPARE, 0, 4), out(content)), "Compare");
        }
        if (facts().supports(IdentifyController.ONCS_VERIFY)) {
            expectServed(served, execute(second(), on(Opcode.Nvm.VERIFY, 0, 4)), "Verify");
        }
    }

    private void expectWrites(boolean served, String who) throws IOException {
        RawQueue host = second();
        expectServed(served, tryWrite(host, 0, pattern(who, 0, 4)), "Write of " + who);
        int more = Math.max(4, fetchedBlocks());
        Payload fetched = Payload.fetched(pattern(who, 0, more));
        expectServed(served, execute(host, writing(0, more), fetched), "Write (fetched) of " + who);
        expectServed(
                served, execute(host, Sqe.allocate().clear(Opcode.Nvm.FLUSH).nsid(nsid())), "Flush of " + who);
        if (facts().supports(IdentifyController.ONCS_WRITE_ZEROES)) {
            expectServed(served, execute(host, on(Opcode.Nvm.WRITE_ZEROES, 0, 4)), "Write Zeroes of " + who);
        }
        if (facts().supports(IdentifyController.ONCS_DATASET_MANAGEMENT)) {
            ByteBuffer range = Bytes.allocate(DatasetRange.BYTES);
            new DatasetRange().wrap(range, 0).set(0, 4);
            Sqe sqe = DatasetManagementCommand.encode(Sqe.allocate(), nsid(), 1, DatasetManagementCommand.DEALLOCATE);
            expectServed(served, execute(host, sqe, out(range.array())), "Dataset Management of " + who);
        }
    }

    private void expectServed(boolean served, Answer answer, String what) {
        if (served) {
            expectSuccess(answer, what);
        } else {
            expect(
                    answer.isCompleted() && answer.status() == Status.RESERVATION_CONFLICT,
                    "Reservation Conflict for " + what,
                    answer);
        }
    }

    @Check(
            says = "The holder writes through another controller of its own: served, for a host is its HOSTID",
            source = "NVMe Base 2.0 s8.19",
            level = Level.SHOULD,
            needs = {Needs.DATA_LOSS, Needs.DISRUPTION})
    void otherControllerOfHolder() throws IOException {
        needsType(ReservationType.EXCLUSIVE_ACCESS);
        reserving(() -> {
            register(first(), FIRST_KEY);
            acquire(first(), ReservationType.EXCLUSIVE_ACCESS, FIRST_KEY);
            byte[] data = pattern("OtherControllerOfHolder", 0, 1);
            RawQueue other = associate().io();
            write(other, 0, data);
            expectContent(other, 0, data, "what was written");
        });
    }

    @Check(
            says =
                    "The holder is away and comes back: it still holds the reservation, and others are kept away all the time",
            source = "NVMe Base 2.0 s8.19",
            level = Level.SHOULD,
            needs = {Needs.DATA_LOSS, Needs.DISRUPTION})
    void holderComesBack() throws IOException {
        needsType(ReservationType.WRITE_EXCLUSIVE);
        reserving(() -> {
            Association away = associate();
            RawQueue itsQueue = away.io();
            register(itsQueue, FIRST_KEY);
            acquire(itsQueue, ReservationType.WRITE_EXCLUSIVE, FIRST_KEY);
            itsQueue.close();
            away.admin().close();
            Answer refused = tryWrite(second(), 0, pattern("HolderComesBack, second", 0, 1));
            expectStatus(refused, Status.RESERVATION_CONFLICT);
            expectHolder(firstId(), ReservationType.WRITE_EXCLUSIVE);
            write(associate().io(), 0, pattern("HolderComesBack", 0, 1));
        });
    }
}
