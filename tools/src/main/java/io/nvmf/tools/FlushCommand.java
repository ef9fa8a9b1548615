package io.nvmf.tools;

import io.nvmf.codec.Opcode;
import java.util.List;
import org.apache.commons.cli.Options;

/** {@code nvmf flush}: what was written is on the medium. */
final class FlushCommand extends DeviceCommand {
    FlushCommand() {
        super("flush", "have all that was written to a namespace on its medium (Flush)", Queues.IO);
    }

    @Override
    List<String> exampleOptions() {
        return List.of("/1", "-n 0xffffffff");
    }

    @Override
    void addOptions(Options options) {
        options.addOption(DeviceOptions.namespace("namespace, 0xffffffff for all (default: the only one)"));
    }

    @Override
    Action prepare(Arguments arguments) {
        return (device, console) -> {
            long nsid = device.requiredNsid();
            device.io(sqe -> sqe.clear(Opcode.Nvm.FLUSH).nsid(nsid), null);
            console.out().println("NVMe Flush: success");
        };
    }
}
