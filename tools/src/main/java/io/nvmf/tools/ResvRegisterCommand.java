package io.nvmf.tools;

import static io.nvmf.tools.CommonOptions.value;

import io.nvmf.codec.reservation.ReservationCommand;
import java.util.List;
import org.apache.commons.cli.Options;

/** {@code nvmf resv-register}: Reservation Register. */
final class ResvRegisterCommand extends DeviceCommand {
    private static final String NEW_KEY = "nrkey";
    private static final String ACTION = "rrega";
    private static final String PERSISTENCE = "cptpl";

    ResvRegisterCommand() {
        super("resv-register", "register, change or remove this host's key (Reservation Register)", Queues.IO);
    }

    @Override
    List<String> exampleOptions() {
        return List.of("/1 --nrkey=0xabc --rrega=0", "/1 --crkey=0xabc --rrega=1");
    }

    @Override
    void addOptions(Options options) {
        options.addOption(ReservationOptions.namespace())
                .addOption(ReservationOptions.currentKey())
                .addOption(value("k", NEW_KEY, "KEY", "the key to register (default 0)"))
                .addOption(value("r", ACTION, "N", "0 register, 1 unregister, 2 replace (default 0)"))
                .addOption(
                        value("p", PERSISTENCE, "N", "through loss of power: 0 as it is, 2 lost, 3 kept (default 0)"))
                .addOption(ReservationOptions.ignoreExistingKey());
    }

    @Override
    Action prepare(Arguments arguments) throws CommandException {
        long currentKey = arguments.unsigned(ReservationOptions.CURRENT_KEY, 0, -1);
        long newKey = arguments.unsigned(NEW_KEY, 0, -1);
        int action = (int) arguments.unsigned(ACTION, ReservationCommand.REGISTER, ReservationCommand.REPLACE);
        int persistence = (int) arguments.unsigned(
                PERSISTENCE, ReservationCommand.PERSISTENCE_UNCHANGED, ReservationCommand.PERSISTENCE_ON);
        boolean ignoreExistingKey = arguments.has(ReservationOptions.IGNORE_EXISTING_KEY);
        return (device, console) -> {
            long nsid = device.requiredNsid();
            device.io(
                    sqe -> ReservationCommand.encodeRegister(sqe, nsid, action, ignoreExistingKey, persistence),
                    ReservationOptions.keys(currentKey, newKey));
            console.out().println("NVME Reservation success");
        };
    }
}
