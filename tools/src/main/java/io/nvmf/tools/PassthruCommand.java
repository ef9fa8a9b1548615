package io.nvmf.tools;

import static io.nvmf.tools.CommonOptions.flag;
import static io.nvmf.tools.CommonOptions.value;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nvmf.codec.Sqe;
import io.nvmf.tools.output.HexDump;
import io.nvmf.tools.output.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.commons.cli.Options;

/** {@code nvmf admin-passthru} and {@code nvmf io-passthru}: any command. */
final class PassthruCommand extends DeviceCommand {
    private static final String OPCODE = "opcode";
    private static final String DATA_LENGTH = "data-len";
    private static final String INPUT_FILE = "input-file";
    private static final String READ = "read";
    private static final String WRITE = "write";
    private static final String SHOW_COMMAND = "show-command";
    private static final String DRY_RUN = "dry-run";
    private static final int[] DWORDS = {2, 3, 10, 11, 12, 13, 14, 15};
    private static final int MAX_DATA_BYTES = 1 << 26;

    private final Queues queues;

    private PassthruCommand(String name, String summary, Queues queues) {
        super(name, summary, queues);
        this.queues = queues;
    }

    static PassthruCommand admin() {
        return new PassthruCommand("admin-passthru", "send any admin command", Queues.ADMIN);
    }

    static PassthruCommand io() {
        return new PassthruCommand("io-passthru", "send any I/O command", Queues.IO);
    }

    @Override
    List<String> exampleOptions() {
        return queues == Queues.ADMIN
                ? List.of("--opcode=0x06 --cdw10=1 --data-len=4096 --read")
                : List.of(
                        "--opcode=0x02 --namespace-id=1 --cdw10=0 --cdw12=0 --data-len=4096 --read -b > block",
                        "--opcode=0x01 -n 1 --data-len=4096 --write --input-file=block");
    }

    @Override
    void addOptions(Options options) {
        options.addOption(value("O", OPCODE, "N", "opcode, needed"))
                .addOption(DeviceOptions.namespace("NSID (default: that of the URI, else 0)"));
        for (int i = 0; i < DWORDS.length; i++) {
            options.addOption(value(
                    Integer.toString(i + 2), "cdw" + DWORDS[i], "N", "command dword " + DWORDS[i] + " (default 0)"));
        }
        options.addOption(value("l", DATA_LENGTH, "BYTES", "length of its data (default 0)"))
                .addOption(value("i", INPUT_FILE, "FILE", "data to write, - for standard input (default -)"))
                .addOption(flag("r", READ, "data comes from the controller"))
                .addOption(flag("w", WRITE, "data goes to the controller"))
                .addOption(flag("s", SHOW_COMMAND, "show the command before it is sent"))
                .addOption(flag("d", DRY_RUN, "do not send it"))
                .addOption(DeviceOptions.rawBinary())
                .addOption(CommonOptions.outputFormat());
    }

    @Override
    Action prepare(Arguments arguments) throws CommandException {
        OutputFormat format = arguments.outputFormat();
        int opcode = (int) arguments.requiredUnsigned(OPCODE, 0xFF);
        int dataBytes = (int) arguments.unsigned(DATA_LENGTH, 0, MAX_DATA_BYTES);
        requireDirection(arguments, opcode, dataBytes);
        Sqe command = Sqe.allocate().clear(opcode);
        for (int dword : DWORDS) {
            command.cdw(dword, arguments.unsigned("cdw" + dword, 0, 0xFFFF_FFFFL));
        }
        String inputFile = arguments.text(INPUT_FILE, InputFile.STDIN);
        boolean writes = arguments.has(WRITE);
        boolean raw = arguments.has(DeviceOptions.RAW_BINARY);
        boolean shows = arguments.has(SHOW_COMMAND) || arguments.has(DRY_RUN);
        boolean sends = !arguments.has(DRY_RUN);
        return (device, console) -> {
            command.nsid(device.nsidOr(0));
            if (shows) {
                show(command, dataBytes, console);
            }
            if (sends) {
                ByteBuffer data = data(console, writes, inputFile, dataBytes);
                long result = queues == Queues.ADMIN
                        ? device.admin(sqe -> copy(command, sqe), data)
                        : device.io(sqe -> copy(command, sqe), data);
                report(console, result, writes ? null : data, raw, format);
            }
        };
    }

    /** Over fabrics the opcode tells which way data goes. */
    private static void requireDirection(Arguments arguments, int opcode, int dataBytes) throws UsageException {
        boolean reads = arguments.has(READ);
        boolean writes = arguments.has(WRITE);
        if (reads && writes) {
            throw new UsageException("--" + READ + " cannot stand beside --" + WRITE);
        }
        if (dataBytes > 0 && !reads && !writes) {
            throw new UsageException("--" + DATA_LENGTH + " needs --" + READ + " or --" + WRITE);
        }
        if (dataBytes == 0 && (reads || writes)) {
            throw new UsageException("--" + (reads ? READ : WRITE) + " needs --" + DATA_LENGTH);
        }
        int direction = reads ? 2 : writes ? 1 : 0;
        if (dataBytes > 0 && (opcode & 3) != direction) {
            throw new UsageException(String.format(
                    "opcode %#04x moves no data that way: bits 1:0 are %d for --%s",
                    opcode, direction, reads ? READ : WRITE));
        }
    }

    private static void copy(Sqe from, Sqe to) {
        to.buffer().put(to.offset(), from.buffer(), from.offset(), Sqe.BYTES);
    }

    private static void show(Sqe command, int dataBytes, Console console) {
        console.out().printf("opcode       : %02x%n", command.opcode());
        console.out().printf("nsid         : %08x%n", command.nsid());
        for (int dword : DWORDS) {
            console.out().printf("%-13s: %08x%n", "cdw" + dword, command.cdw(dword));
        }
        console.out().printf("data_len     : %08x%n", dataBytes);
    }

    private static ByteBuffer data(Console console, boolean writes, String inputFile, int dataBytes)
            throws IOException, CommandException {
        if (dataBytes == 0) {
            return null;
        }
        return writes ? InputFile.read(console, inputFile, dataBytes) : Device.buffer(dataBytes);
    }

    private static void report(Console console, long result, ByteBuffer read, boolean raw, OutputFormat format)
            throws IOException {
        if (raw && read != null) {
            console.writeRaw(read);
            return;
        }
        if (format == OutputFormat.JSON) {
            ObjectNode json = Json.object().put("result", String.format("%#010x", result & 0xFFFF_FFFFL));
            if (read != null) {
                json.put("data", HexDump.line(read));
            }
            Json.print(console.out(), json);
            return;
        }
        console.out().printf("NVMe command result:%08x%n", result & 0xFFFF_FFFFL);
        if (read != null) {
            HexDump.print(console.out(), read);
        }
    }
}
