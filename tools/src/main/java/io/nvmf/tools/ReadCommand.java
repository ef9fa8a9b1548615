package io.nvmf.tools;

import io.nvmf.initiator.NvmfHost;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.tools.output.ProgressBar;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.apache.commons.cli.Options;

/** {@code nvmf read}: copies blocks of a namespace to a file or standard output. */
final class ReadCommand implements Command {
    private static final String FILE = "file";
    private static final String STDOUT = "-";

    @Override
    public String name() {
        return "read";
    }

    @Override
    public String summary() {
        return "copy blocks of a namespace to a file or standard output";
    }

    @Override
    public String arguments() {
        return HostOptions.URI;
    }

    @Override
    public List<String> examples() {
        return List.of(
                "nvmf read -a 192.0.2.1 -n nqn.2026-01.io.nvmf:target --namespace-id 1 -f backup.img",
                "nvmf read nvmf-tcp://192.0.2.1:4420/nqn.2026-01.io.nvmf:target/1 --length 1m | xxd",
                "nvmf read nvmf-rdma://192.0.2.1/nqn.2026-01.io.nvmf:target/1 --start-block 8 --block-count 0 -f b.bin");
    }

    @Override
    public Options options() {
        Options options = new Options()
                .addOption(CommonOptions.value("f", FILE, "FILE", "where to, - for standard output (default -)"));
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
        String file = arguments.text(FILE, STDOUT);
        boolean toStdout = file.equals(STDOUT);
        if (toStdout && console.outIsTerminal()) {
            throw new UsageException("blocks are not for a terminal: give -f FILE or redirect the output");
        }
        try (NvmfHost host = target.openHost(console)) {
            Controller controller = target.connect(host, transfer.withRoom(target.connectIo()));
            Namespace namespace = Namespaces.choose(controller, target.nsid());
            TransferOptions.Range range = transfer.wholeBlocks(namespace);
            try (WritableByteChannel to = toStdout ? stdout(console) : create(file)) {
                ProgressBar progress =
                        new ProgressBar(console.err(), console.errIsTerminal(), range.lengthBytes(), System::nanoTime);
                long startNs = System.nanoTime();
                try {
                    transfer.copier(controller, namespace, progress::update)
                            .read(range.offsetBytes(), range.lengthBytes(), to);
                } catch (IOException e) {
                    throw named(file, e);
                } finally {
                    progress.clear();
                }
                new TransferSummary("read", range.offsetBytes(), range.lengthBytes(), System.nanoTime() - startNs)
                        .print(format, toStdout ? console.err() : console.out());
            }
        }
        return Nvmf.SUCCESS;
    }

    private static CommandException named(String file, IOException e) {
        return new CommandException((file.equals(STDOUT) ? "standard output" : file) + ": " + e.getMessage(), e);
    }

    private static WritableByteChannel create(String file) throws IOException {
        return FileChannel.open(
                Path.of(file),
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE);
    }

    /** Not the print stream, which swallows errors: the reader of a pipe may be gone, or a disk full. */
    private static WritableByteChannel stdout(Console console) {
        WritableByteChannel out = Channels.newChannel(console.data());
        return new WritableByteChannel() {
            @Override
            public int write(java.nio.ByteBuffer data) throws IOException {
                return out.write(data);
            }

            @Override
            public boolean isOpen() {
                return out.isOpen();
            }

            /** Standard output is not this command's to close. */
            @Override
            public void close() {}
        };
    }
}
