package io.nvmf.tools;

import static io.nvmf.tools.CommonOptions.flag;
import static io.nvmf.tools.CommonOptions.value;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nvmf.codec.reservation.ReservationCommand;
import io.nvmf.codec.reservation.ReservationStatus;
import io.nvmf.codec.reservation.ReservationStatus.Registrant;
import io.nvmf.tools.output.Json;
import java.io.PrintStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.commons.cli.Options;

/** {@code nvmf resv-report}: Reservation Report. */
final class ResvReportCommand extends DeviceCommand {
    private static final String DWORDS = "numd";
    private static final String EXTENDED = "eds";
    private static final int DEFAULT_DWORDS = 1024;
    private static final int MAX_DWORDS = 1 << 18;

    ResvReportCommand() {
        super("resv-report", "show who has registered and who holds the reservation (Reservation Report)", Queues.IO);
    }

    @Override
    List<String> exampleOptions() {
        return List.of("/1", "/1 --eds -o json");
    }

    @Override
    void addOptions(Options options) {
        options.addOption(ReservationOptions.namespace())
                .addOption(value(
                        "d", DWORDS, "N", "how much to read, in units of 4 bytes (default " + DEFAULT_DWORDS + ")"))
                .addOption(flag("e", EXTENDED, "with host identifiers of 128 bits, as it always is over fabrics"))
                .addOption(DeviceOptions.rawBinary())
                .addOption(CommonOptions.outputFormat());
    }

    @Override
    Action prepare(Arguments arguments) throws CommandException {
        OutputFormat format = arguments.outputFormat();
        int lengthBytes = (int) arguments.unsigned(DWORDS, DEFAULT_DWORDS, MAX_DWORDS) * Integer.BYTES;
        if (lengthBytes < ReservationStatus.HEADER_BYTES) {
            throw new UsageException("--" + DWORDS + " " + lengthBytes / Integer.BYTES
                    + " is too little: the report begins with " + ReservationStatus.HEADER_BYTES / Integer.BYTES);
        }
        boolean raw = arguments.has(DeviceOptions.RAW_BINARY);
        return (device, console) -> {
            long nsid = device.requiredNsid();
            ByteBuffer data = Device.buffer(lengthBytes);
            device.io(sqe -> ReservationCommand.encodeReport(sqe, nsid, lengthBytes), data);
            int count = ReservationStatus.registrantCount(data, 0);
            ReservationStatus status = ReservationStatus.decode(data, 0, lengthBytes);
            if (raw) {
                console.writeRaw(data);
            } else if (format == OutputFormat.JSON) {
                Json.print(console.out(), toJson(status, count));
            } else {
                print(console.out(), status, count);
            }
        };
    }

    private static int type(ReservationStatus status) {
        return status.type() == null ? 0 : status.type().number();
    }

    private static String hostId(Registrant registrant) {
        return registrant.hostId().toString().replace("-", "");
    }

    private static ObjectNode toJson(ReservationStatus status, int count) {
        ObjectNode json = Json.object()
                .put("gen", status.generation())
                .put("rtype", type(status))
                .put("regstrnt", count)
                .put("ptpls", status.persistent() ? 1 : 0);
        ArrayNode registrants = json.putArray("registrantext");
        for (Registrant registrant : status.registrants()) {
            registrants
                    .addObject()
                    .put("cntlid", registrant.controllerId())
                    .put("rcsts", registrant.holdsReservation() ? 1 : 0)
                    .put("rkey", new BigInteger(Long.toUnsignedString(registrant.key())))
                    .put("hostid", hostId(registrant));
        }
        return json;
    }

    private static void print(PrintStream out, ReservationStatus status, int count) {
        out.printf("%nNVME Reservation status:%n%n");
        out.printf("gen       : %d%n", status.generation());
        out.printf("rtype     : %d%n", type(status));
        out.printf("regstrnt  : %d%n", count);
        out.printf("ptpls     : %d%n", status.persistent() ? 1 : 0);
        for (int i = 0; i < status.registrants().size(); i++) {
            Registrant registrant = status.registrants().get(i);
            out.printf("registrantext[%d] :%n", i);
            out.printf("  cntlid     : %x%n", registrant.controllerId());
            out.printf("  rcsts      : %d%n", registrant.holdsReservation() ? 1 : 0);
            out.printf("  rkey       : %x%n", registrant.key());
            out.printf("  hostid     : %s%n", hostId(registrant));
        }
    }
}
