package io.nvmf.tools;

import static io.nvmf.tools.CommonOptions.value;

import io.nvmf.codec.reservation.ReservationCommand;
import io.nvmf.codec.reservation.ReservationType;
import java.util.List;
import org.apache.commons.cli.Options;

/** {@code nvmf resv-acquire}: Reservation Acquire. */
final class ResvAcquireCommand extends DeviceCommand {
    private static final String PREEMPT_KEY = "prkey";
    private static final String ACTION = "racqa";

    ResvAcquireCommand() {
        super("resv-acquire", "reserve a namespace, or take it from another host (Reservation Acquire)", Queues.IO);
    }

    @Override
    List<String> exampleOptions() {
        return List.of("/1 --crkey=0xabc --rtype=1", "/1 --crkey=0xabc --prkey=0xdef --rtype=1 --racqa=1");
    }

    @Override
    void addOptions(Options options) {
        options.addOption(ReservationOptions.namespace())
                .addOption(ReservationOptions.currentKey())
                .addOption(value("p", PREEMPT_KEY, "KEY", "the key of the host to be preempted (default 0)"))
                .addOption(ReservationOptions.type())
                .addOption(value("a", ACTION, "N", "0 acquire, 1 preempt, 2 preempt and abort (default 0)"));
    }

    @Override
    Action prepare(Arguments arguments) throws CommandException {
        long currentKey = arguments.unsigned(ReservationOptions.CURRENT_KEY, 0, -1);
        long preemptKey = arguments.unsigned(PREEMPT_KEY, 0, -1);
        ReservationType type = ReservationOptions.readType(arguments);
        int action = (int) arguments.unsigned(ACTION, ReservationCommand.ACQUIRE, ReservationCommand.PREEMPT_AND_ABORT);
        return (device, console) -> {
            long nsid = device.requiredNsid();
            device.io(
                    sqe -> ReservationCommand.encodeAcquire(sqe, nsid, action, type),
                    ReservationOptions.keys(currentKey, preemptKey));
            console.out().println("NVME Reservation Acquire success");
        };
    }
}
