package io.nvmf.tools.demo;

import io.nvmf.codec.log.TransportType;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.tools.CommandException;
import io.nvmf.tools.Sizes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Writes blocks of the sizes that key-value stores use, reads them back and checks every byte. */
public final class Demo {
    /** Space that the demo needs in its namespace. */
    public static final int REGION_BYTES = 32 << 20;
    /** Blocks of one size at most. */
    public static final int MAX_BLOCKS = 1024;

    private static final int[] BLOCK_BYTES = {
        4 << 10, 8 << 10, 16 << 10, 64 << 10, 128 << 10, 512 << 10, 1 << 20, 2 << 20, 5 << 20
    };
    private static final int MAX_IN_FLIGHT = 32;
    private static final int MIN_IN_FLIGHT = 4;
    private static final int IN_FLIGHT_BYTES = 8 << 20;
    private static final int WARM_UP_ROUNDS = 2;
    private static final int[] WARM_UP_BLOCK_BYTES = {4 << 10, 64 << 10};
    private static final int WARM_UP_BYTES = 4 << 20;

    private final Controller controller;
    private final Namespace namespace;
    private final TransportType transport;
    private final int maxBlocks;
    private final ByteBuffer written = ByteBuffer.allocateDirect(REGION_BYTES);
    private final ByteBuffer readBack = ByteBuffer.allocateDirect(REGION_BYTES);
    private long seed;

    /**
     * @param namespace of at least {@link #REGION_BYTES} bytes, which are overwritten
     * @param maxBlocks of each size, 1 to {@link #MAX_BLOCKS}
     */
    public Demo(Controller controller, Namespace namespace, TransportType transport, int maxBlocks) {
        this.controller = controller;
        this.namespace = namespace;
        this.transport = transport;
        this.maxBlocks = maxBlocks;
    }

    /** Runs all sizes. Blocks. */
    public List<DemoRow> run() throws InterruptedException, CommandException {
        for (int round = 0; round < WARM_UP_ROUNDS; round++) {
            for (int blockBytes : WARM_UP_BLOCK_BYTES) {
                runSize(blockBytes, Math.min(maxBlocks, WARM_UP_BYTES / blockBytes) * blockBytes);
            }
        }
        List<DemoRow> rows = new ArrayList<>();
        for (int blockBytes : BLOCK_BYTES) {
            int blocks = Math.min(maxBlocks, REGION_BYTES / blockBytes);
            rows.add(runSize(blockBytes, blocks * blockBytes));
        }
        namespace.flush().join();
        return rows;
    }

    private DemoRow runSize(int blockBytes, int totalBytes) throws InterruptedException, CommandException {
        seed++;
        ByteBuffer source = written.slice(0, totalBytes);
        ByteBuffer target = readBack.slice(0, totalBytes);
        Pattern.fill(source, seed);
        Pattern.fill(target, -seed);
        int inFlight = Math.max(MIN_IN_FLIGHT, Math.min(MAX_IN_FLIGHT, IN_FLIGHT_BYTES / blockBytes));
        BlockLoad load = new BlockLoad(namespace, controller.ioQueueCount(), blockBytes, inFlight);
        Timing write = load.write(source);
        Timing read = load.read(target);
        verify(target, blockBytes);
        return new DemoRow(blockBytes, travel(blockBytes), write, read);
    }

    private void verify(ByteBuffer target, int blockBytes) throws CommandException {
        int at = Pattern.firstMismatch(target, seed);
        if (at != Pattern.MATCHES) {
            throw new CommandException("block " + at / blockBytes + " of " + Sizes.format(blockBytes)
                    + " came back changed at its byte " + at % blockBytes + " (byte " + at + " of the namespace)");
        }
    }

    /** Which way a write of this size takes, by what the controller said of itself. */
    private String travel(int blockBytes) {
        if (blockBytes <= controller.identify().inCapsuleDataBytes()) {
            return "in capsule";
        }
        long commands = (blockBytes + controller.maxTransferBytes() - 1) / controller.maxTransferBytes();
        String request = transport == TransportType.TCP ? "R2T" : "RDMA READ";
        return commands == 1 ? request : request + ", " + commands + " commands";
    }
}
