package io.nvmf.tools;

import static io.nvmf.tools.CommonOptions.flag;
import static io.nvmf.tools.CommonOptions.value;

import io.nvmf.codec.reservation.ReservationKeys;
import io.nvmf.codec.reservation.ReservationType;
import java.nio.ByteBuffer;
import org.apache.commons.cli.Option;

/** Options that the commands for reservations share. */
final class ReservationOptions {
    static final String CURRENT_KEY = "crkey";
    static final String TYPE = "rtype";
    static final String IGNORE_EXISTING_KEY = "iekey";

    private ReservationOptions() {}

    static Option namespace() {
        return DeviceOptions.namespace("namespace (default: the only one)");
    }

    static Option currentKey() {
        return value("c", CURRENT_KEY, "KEY", "this host's key (default 0)");
    }

    static Option type() {
        return value(
                "t",
                TYPE,
                "N",
                "1 write exclusive, 2 exclusive access, 3 and 4 the same for registrants only, 5 and 6 for all registrants,"
                        + " needed");
    }

    static Option ignoreExistingKey() {
        return flag("i", IGNORE_EXISTING_KEY, "whatever this host's key is (IEKEY)");
    }

    static ReservationType readType(Arguments arguments) throws UsageException {
        int number = (int) arguments.requiredUnsigned(TYPE, ReservationType.values().length);
        ReservationType type = ReservationType.of(number);
        if (type == null) {
            throw new UsageException("--" + TYPE + " 0 is no type of reservation, see the types in the help");
        }
        return type;
    }

    /** Data of Register and Acquire. */
    static ByteBuffer keys(long current, long other) {
        ByteBuffer data = Device.buffer(ReservationKeys.BYTES);
        new ReservationKeys(current, other).encode(data, 0);
        return data;
    }
}
