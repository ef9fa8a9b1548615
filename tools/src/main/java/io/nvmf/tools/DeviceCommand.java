package io.nvmf.tools;

import io.nvmf.initiator.NvmfHost;
import io.nvmf.initiator.controller.Controller;
import java.util.List;
import org.apache.commons.cli.Options;

/**
 * A command that asks something of one controller or namespace, in nvme-cli's words; in the place of nvme-cli's device
 * stands a URI, or {@code --traddr} and {@code --nqn}. What is wrong with the command line is said before anything is connected.
 */
abstract class DeviceCommand implements Command {
    /** What is done once the controller is connected. */
    @FunctionalInterface
    interface Action {
        void run(Device device, Console console) throws Exception;
    }

    /** Which queues are needed. */
    enum Queues {
        ADMIN,
        /** And one I/O queue. */
        IO
    }

    static final String DEVICE = "nvmf-tcp|rdma://HOST:PORT/SUBNQN[/NSID]";
    /** In the place of the URI in examples. */
    static final String URI = "nvmf-tcp://192.0.2.1/nqn.2026-01.io.nvmf:target";

    private final String name;
    private final String summary;
    private final Queues queues;

    DeviceCommand(String name, String summary, Queues queues) {
        this.name = name;
        this.summary = summary;
        this.queues = queues;
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final String summary() {
        return summary;
    }

    @Override
    public final String arguments() {
        return "[" + DEVICE + "]";
    }

    @Override
    public final List<String> examples() {
        return exampleOptions().stream()
                .map(options -> "nvmf " + name + " " + URI + (options.startsWith("/") ? "" : " ") + options)
                .toList();
    }

    /** What follows the URI in examples; with a slash first it goes on with it. */
    abstract List<String> exampleOptions();

    @Override
    public final Options options() {
        Options options = new Options();
        addOptions(options);
        HostOptions.addDevice(options);
        return options;
    }

    /** Adds the options of this command. */
    abstract void addOptions(Options options);

    /** Reads and checks the options of this command. */
    abstract Action prepare(Arguments arguments) throws CommandException;

    @Override
    public final int run(Arguments arguments, Console console) throws Exception {
        HostOptions target = HostOptions.readDevice(arguments);
        Action action = prepare(arguments);
        try (NvmfHost host = target.openHost(console)) {
            Controller controller = target.connect(
                    host,
                    queues == Queues.ADMIN
                            ? target.connectAdmin()
                            : target.connectIo().ioQueues(1));
            action.run(new Device(controller, target.nsid()), console);
        }
        return Nvmf.SUCCESS;
    }
}
