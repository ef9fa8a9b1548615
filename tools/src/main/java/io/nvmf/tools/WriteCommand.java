package io.nvmf.tools;

import io.nvmf.initiator.NvmfHost;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.tools.output.ProgressBar;
import io.nvmf.tools.transfer.BlockCopier;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.OptionalLong;
import org.apache.commons.cli.Options;

/** {@code nvmf write}: copies a file or standard input to blocks of a namespace. */
final class WriteCommand implements Command {
    private static final String FILE = "file";
    private static final String STDIN = "-";
    private static final String PAD = "pad";
    private static final String NO_FLUSH = "no-flush";

    @Override
    public String name() {
        return "write";
    }

    @Override
    public String summary() {
        return "copy a file or standard input to blocks of a namespace";
    }

    @Override
    public String arguments() {
        return HostOptions.URI;
    }

    @Override
    public List<String> examples() {
        return List.of(
                "nvmf write -a 192.0.2.1 -n nqn.2026-01.io.nvmf:target --namespace-id 1 -f disk.img",
                "nvmf write nvmf-tcp://192.0.2.1:4420/nqn.2026-01.io.nvmf:target/1 -f notes.txt --offset 1m --pad",
                "zcat disk.img.gz | nvmf write nvmf-rdma://192.0.2.1/nqn.2026-01.io.nvmf:target/1 -i 8");
    }

    @Override
    public Options options() {
        Options options = new Options()
                .addOption(CommonOptions.value("f", FILE, "FILE", "where from, - for standard input (default -)"))
                .addOption(
                        CommonOptions.flag(null, PAD, "fill the last block with zeros when the input ends inside it"))
                .addOption(
                        CommonOptions.flag(null, NO_FLUSH, "do not wait until the target has the data on its medium"));
        TransferOptions.addTo(options);
        HostOptions.addAddress(options);
        HostOptions.addSubsystem(options);
        HostOptions.addNamespace(options);
        HostOptions.addQueues(options);
        return options.addOption(CommonOptions.outputFormat());
    }

    @Override
    public int run(Arguments arguments, Console console) throws Exception {
        OutputFormat format = arguments.outputFormat();
        HostOptions target = HostOptions.read(arguments);
        TransferOptions transfer = TransferOptions.read(arguments);
        String file = arguments.text(FILE, STDIN);
        boolean pad = arguments.has(PAD);
        try (ReadableByteChannel from = open(file, console);
                NvmfHost host = target.openHost(console)) {
            Controller controller = target.connect(host, transfer.withRoom(target.connectIo()));
            Namespace namespace = Namespaces.choose(controller, target.nsid());
            TransferOptions.Range range = transfer.range(namespace);
            OptionalLong inputBytes = inputBytes(file, range);
            if (inputBytes.isPresent()) {
                checkInput(file, inputBytes.getAsLong(), range, namespace, pad);
            }
            ProgressBar progress = new ProgressBar(
                    console.err(), console.errIsTerminal(), inputBytes.orElse(ProgressBar.UNKNOWN), System::nanoTime);
            long startNs = System.nanoTime();
            long bytes;
            try {
                bytes = transfer.copier(controller, namespace, progress::update)
                        .write(
                                from,
                                range.offsetBytes(),
                                range.isLengthGiven() ? range.lengthBytes() : BlockCopier.UNTIL_END,
                                pad);
            } catch (IOException e) {
                throw new CommandException((file.equals(STDIN) ? "standard input" : file) + ": " + e.getMessage(), e);
            } finally {
                progress.clear();
            }
            if (bytes == 0) {
                throw new CommandException(
                        (file.equals(STDIN) ? "standard input" : file) + " is empty, nothing was written");
            }
            if (!arguments.has(NO_FLUSH)) {
                namespace.flush().join();
            }
            new TransferSummary("wrote", range.offsetBytes(), bytes, System.nanoTime() - startNs)
                    .print(format, console.out());
        }
        return Nvmf.SUCCESS;
    }

    private static ReadableByteChannel open(String file, Console console) throws IOException {
        return file.equals(STDIN)
                ? Channels.newChannel(console.in())
                : FileChannel.open(Path.of(file), StandardOpenOption.READ);
    }

    /** How much will be read, where that can be known before. */
    private static OptionalLong inputBytes(String file, TransferOptions.Range range) throws IOException {
        if (file.equals(STDIN) || !Files.isRegularFile(Path.of(file))) {
            return range.isLengthGiven() ? OptionalLong.of(range.lengthBytes()) : OptionalLong.empty();
        }
        long size = Files.size(Path.of(file));
        return OptionalLong.of(range.isLengthGiven() ? Math.min(size, range.lengthBytes()) : size);
    }

    /** Refuses what cannot end well before the first block is overwritten. */
    private static void checkInput(
            String file, long inputBytes, TransferOptions.Range range, Namespace namespace, boolean pad)
            throws CommandException {
        String input = file.equals(STDIN) ? "the input" : file;
        if (range.isLengthGiven() && inputBytes < range.lengthBytes()) {
            throw new CommandException(
                    input + " has " + inputBytes + " bytes, not the " + range.lengthBytes() + " asked for");
        }
        if (inputBytes > range.lengthBytes()) {
            throw new CommandException(input + " has " + inputBytes + " bytes, more than the " + range.lengthBytes()
                    + " that namespace " + namespace.nsid() + " has from byte " + range.offsetBytes() + " on");
        }
        if (inputBytes % namespace.blockSizeBytes() != 0 && !pad) {
            throw new CommandException(inputBytes + " bytes of " + input + " are no multiple of the block size "
                    + namespace.blockSizeBytes() + ", use --pad to fill the last block with zeros");
        }
    }
}
