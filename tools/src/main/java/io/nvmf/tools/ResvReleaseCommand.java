package io.nvmf.tools;

import static io.nvmf.tools.CommonOptions.value;

import io.nvmf.codec.reservation.ReservationCommand;
import io.nvmf.codec.reservation.ReservationKeys;
import io.nvmf.codec.reservation.ReservationType;
import java.util.List;
import org.apache.commons.cli.Options;

/** {@code nvmf resv-release}: Reservation Release. */
final class ResvReleaseCommand extends DeviceCommand {
    private static final String ACTION = "rrela";

    ResvReleaseCommand() {
        super("resv-release", "give a reservation back, or clear all of it (Reservation Release)", Queues.IO);
    }

    @Override
    List<String> exampleOptions() {
        return List.of("/1 --crkey=0xabc --rtype=1", "/1 --crkey=0xabc --rrela=1");
    }

    @Override
    void addOptions(Options options) {
        options.addOption(ReservationOptions.namespace())
                .addOption(ReservationOptions.currentKey())
                .addOption(ReservationOptions.type())
                .addOption(value("a", ACTION, "N", "0 release, 1 clear: every key, no type needed (default 0)"));
    }

    @Override
    Action prepare(Arguments arguments) throws CommandException {
        long currentKey = arguments.unsigned(ReservationOptions.CURRENT_KEY, 0, -1);
        boolean clears = arguments.unsigned(ACTION, ReservationCommand.RELEASE, ReservationCommand.CLEAR)
                == ReservationCommand.CLEAR;
        ReservationType type = clears ? null : ReservationOptions.readType(arguments);
        return (device, console) -> {
            long nsid = device.requiredNsid();
            device.io(
                    sqe -> {
                        if (clears) {
                            ReservationCommand.encodeClear(sqe, nsid);
                        } else {
                            ReservationCommand.encodeRelease(sqe, nsid, type);
                        }
                    },
                    Device.buffer(ReservationKeys.RELEASE_BYTES).putLong(0, currentKey));
            console.out().println("NVME Reservation Release success");
        };
    }
}
