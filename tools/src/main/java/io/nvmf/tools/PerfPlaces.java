package io.nvmf.tools;

import io.nvmf.codec.log.TransportType;
import io.nvmf.initiator.NvmfHost;
import io.nvmf.initiator.controller.ConnectOptions;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.tools.perf.Load;
import io.nvmf.tools.perf.Measured.Mode;
import io.nvmf.tools.perf.Workload;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Connects to the namespaces that {@code nvmf perf} puts load on, and checks that they can bear it. */
final class PerfPlaces {
    private static final int MAX_QUEUE_SIZE = 1024;

    private final NvmfHost host;
    private final PerfOptions options;
    private final Workload workload;
    private final Console console;

    PerfPlaces(NvmfHost host, PerfOptions options, Console console) {
        this.host = host;
        this.options = options;
        workload = options.workload();
        this.console = console;
    }

    List<Load.Place> connect() throws CommandException {
        List<Load.Place> places = new ArrayList<>();
        for (HostOptions uri : options.uris()) {
            places.add(place(uri));
        }
        if (workload.verify() && workload.pattern().writes()) {
            requireDistinct(places, "with --" + PerfOptions.VERIFY + " each is written by one load alone");
        }
        if (options.mode() == Mode.SCALING) {
            requireDistinct(places, "--" + PerfOptions.SCALING + " compares one with several");
        }
        return places;
    }

    private static void requireDistinct(List<Load.Place> places, String why) throws CommandException {
        Set<String> seen = new HashSet<>();
        for (Load.Place place : places) {
            if (!seen.add(place.identity())) {
                throw new CommandException(place.name() + " is a namespace that was named before: " + why);
            }
        }
    }

    private Load.Place place(HostOptions uri) throws CommandException {
        Controller controller = connect(uri);
        Namespace namespace = Namespaces.choose(controller, uri);
        requireBlocks(namespace);
        long offset = options.offset();
        if (offset >= namespace.sizeBytes()) {
            throw new CommandException("--" + PerfOptions.OFFSET + " " + offset + " is beyond the end of namespace "
                    + namespace.nsid() + ", " + namespace.sizeBytes() + " bytes");
        }
        long size = options.size().orElse(namespace.sizeBytes() - offset);
        int used = controller.ioQueueCount();
        requireRange(namespace, size, used);
        ByteBuffer memory = ByteBuffer.allocateDirect((int) Load.memoryBytes(workload, options.depth()));
        fill(memory);
        if (uri.transport() == TransportType.RDMA) {
            host.register(memory);
        }
        String name = uri.subsystemUri() + "/" + namespace.nsid();
        warnOfDepth(uri, namespace, used);
        String identity = controller.subsystemNqn() + "/" + namespace.nsid();
        return new Load.Place(name, identity, namespace, used, offset, size, memory);
    }

    /** Once more when fewer queues are granted than were asked for, each of which has to hold more then. */
    private Controller connect(HostOptions uri) throws CommandException {
        int queues = options.queues();
        Controller controller = connect(uri, queues);
        while (controller.ioQueueCount() < queues) {
            queues = controller.ioQueueCount();
            controller.close();
            controller = connect(uri, queues);
        }
        if (queues < options.queues()) {
            console.warn(uri.subsystemUri() + " grants " + queues + " of " + options.queues() + " I/O queues");
        }
        return controller;
    }

    private Controller connect(HostOptions uri, int queues) throws CommandException {
        int perQueue = perQueue(queues);
        ConnectOptions connect = uri.connectAdmin()
                .ioQueues(queues)
                .queueDepth(Math.min(MAX_QUEUE_SIZE, Math.max(2, perQueue + 1)))
                // The host never fills a queue, and spares itself a response for each read.
                .sqFlowControl(false)
                .waitingRequests(perQueue);
        return uri.connect(host, options.reconnects() ? uri.reconnecting(connect) : connect);
    }

    private int perQueue(int queues) {
        return (options.depth() + queues - 1) / queues;
    }

    private void warnOfDepth(HostOptions uri, Namespace namespace, int queues) {
        int taken = namespace.queues().get(0).maxOutstanding();
        if (perQueue(queues) > taken) {
            console.warn("an I/O queue to " + uri.subsystemUri() + " takes " + taken + " requests at a time: of --"
                    + PerfOptions.DEPTH + " " + options.depth() + " the others wait in this host");
        }
    }

    private void requireBlocks(Namespace namespace) throws CommandException {
        for (int bytes : workload.sizes().sizes()) {
            requireBlocks(namespace, PerfOptions.IO_SIZE, bytes);
        }
        requireBlocks(namespace, PerfOptions.OFFSET, options.offset());
        requireBlocks(namespace, PerfOptions.SIZE, options.size().orElse(0));
    }

    private static void requireBlocks(Namespace namespace, String option, long bytes) throws CommandException {
        if (bytes % namespace.blockSizeBytes() != 0) {
            throw new CommandException(
                    "--" + option + " " + bytes + " is no multiple of the block size " + namespace.blockSizeBytes());
        }
    }

    private void requireRange(Namespace namespace, long size, int used) throws CommandException {
        if (size <= 0 || options.offset() > namespace.sizeBytes() - size) {
            throw new CommandException(size + " bytes from byte " + options.offset() + " on are not inside namespace "
                    + namespace.nsid() + ", which has " + namespace.sizeBytes());
        }
        long part = size / used;
        if (part < workload.sizes().largest()) {
            throw new CommandException("each of " + used + " queues has " + part + " bytes of namespace "
                    + namespace.nsid() + ", fewer than one request: give a larger --" + PerfOptions.SIZE);
        }
        if (workload.verify() && part / namespace.blockSizeBytes() > Load.MAX_VERIFIED_BLOCKS) {
            throw new CommandException("--" + PerfOptions.VERIFY + " can follow " + Load.MAX_VERIFIED_BLOCKS
                    + " blocks a queue: give a smaller --" + PerfOptions.SIZE + ", or more queues");
        }
    }

    /** Zeros are written faster than data by some. */
    private void fill(ByteBuffer memory) {
        byte[] bytes = new byte[4096];
        Random random = new Random(workload.seed());
        while (memory.hasRemaining()) {
            random.nextBytes(bytes);
            memory.put(bytes, 0, Math.min(bytes.length, memory.remaining()));
        }
        memory.clear();
    }
}
