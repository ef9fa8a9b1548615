package io.nvmf.conformance;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.reservation.ReservationCommand;
import io.nvmf.codec.reservation.ReservationStatus;
import io.nvmf.codec.reservation.ReservationStatus.Registrant;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** Who has registered with the namespace under test: a namespace that another host uses is not overwritten. */
final class Registrations {
    private static final int REPORT_BYTES = 4096;

    private Registrations() {}

    /**
     * Asks the target.
     *
     * @throws ForeignReservationException when there is a registrant that is not one of the hosts as which the checks appear
     * @throws CheckFailure when the target offers reservations and does not report them
     */
    static void requireOwn(Bench bench, Facts facts) throws IOException {
        if (facts.nsid() == 0 || !facts.supports(IdentifyController.ONCS_RESERVATIONS)) {
            return;
        }
        Sqe report = ReservationCommand.encodeReport(Sqe.allocate(), facts.nsid(), REPORT_BYTES);
        Answer answer = bench.expectSuccess(
                bench.execute(bench.associate().io(), report, Payload.in(REPORT_BYTES)),
                "Reservation Report, which is asked for before data may be lost");
        ByteBuffer data = ByteBuffer.wrap(answer.data()).order(ByteOrder.LITTLE_ENDIAN);
        List<Registrant> foreign = ReservationStatus.decode(data, 0, REPORT_BYTES).registrants().stream()
                .filter(registrant -> !bench.target().isOwn(registrant.hostId()))
                .toList();
        if (!foreign.isEmpty()) {
            throw new ForeignReservationException(facts.nsid(), foreign);
        }
    }
}
