package io.nvmf.target;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.util.internal.PlatformDependent;
import io.nvmf.codec.Nqn;
import io.nvmf.codec.Opcode;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.log.GetLogPageCommand;
import io.nvmf.codec.log.LogPageId;
import io.nvmf.codec.nvm.CopyCommand;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.target.queue.TargetLoop;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Hosts that vanish anywhere, in the middle of a handshake, a command or its data, and leave nothing behind. */
class RandomResetTest extends TargetTestBase {
    private static final int ROUNDS = 200;
    private static final int BLOCK_BYTES = 512;
    private static final int LARGE_BYTES = 64 << 10;
    private static final int HANDSHAKE_BYTES = 3000;

    private final Random random = new Random();

    @Test
    @Timeout(120)
    void shouldKeepNothingOfHostsThatVanish() throws IOException {
        long seed = System.nanoTime();
        random.setSeed(seed);
        start();
        int descriptors = descriptors();
        for (int i = 0; i < ROUNDS / 4; i++) {
            round();
        }
        awaitNobody(seed);
        long memory = PlatformDependent.usedDirectMemory();
        int cut = 0;
        for (int i = 0; i < ROUNDS; i++) {
            cut += round();
        }
        awaitNobody(seed);
        assertTrue(cut > ROUNDS, () -> "too few connections were cut off, seed " + seed);
        // Some are closed a little later by the system.
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertEquals(descriptors, descriptors(), "descriptors, seed " + seed));
        // Pools of the event loops grow to what they need at most, and stay there.
        assertTrue(
                PlatformDependent.usedDirectMemory() <= memory + (8 << 20),
                () -> memory + " bytes became " + PlatformDependent.usedDirectMemory() + ", seed " + seed);
    }

    /** A host with up to three queues that are cut off somewhere; returns how many of them were. */
    private int round() throws IOException {
        List<RawHost> hosts = new ArrayList<>();
        int cut = 0;
        RawHost admin = open().cutAfter(budget(HANDSHAKE_BYTES));
        hosts.add(admin);
        int controllerId = 0xFFFF;
        try {
            controllerId = admin.connectAdmin(random.nextInt(8) == 0 ? Nqn.DISCOVERY : NQN, 0);
            admin.enable();
            adminCommands(admin);
        } catch (RawHost.CutOffException e) {
            cut++;
        }
        for (int queue = 1; queue <= random.nextInt(3); queue++) {
            RawHost io = open().cutAfter(budget(2 * HANDSHAKE_BYTES + LARGE_BYTES));
            hosts.add(io);
            try {
                io.initialize(0, 0, 3);
                io.connectIo(controllerId, queue, 31, NQN);
                ioCommands(io);
            } catch (IOException e) {
                // The admin queue may be half way, or one of discovery: then there is no controller to connect to.
                cut++;
            }
        }
        while (!hosts.isEmpty()) {
            vanish(hosts.remove(random.nextInt(hosts.size())));
        }
        return cut;
    }

    /** Most often within the handshake, for that is short. */
    private long budget(int bytes) {
        return random.nextInt(random.nextInt(3) == 0 ? bytes : HANDSHAKE_BYTES / 2);
    }

    private void vanish(RawHost host) throws IOException {
        switch (random.nextInt(3)) {
            case 0 -> host.reset();
            case 1 -> host.close();
            default -> {
                try {
                    host.shutdownOutput();
                } finally {
                    host.close();
                }
            }
        }
    }

    private static Sqe admin(int opcode, Consumer<Sqe> fill) {
        Sqe sqe = Sqe.allocate().clear(opcode);
        sqe.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 0);
        fill.accept(sqe);
        return sqe;
    }

    /** Sent one after the other; no answer is waited for. */
    private void adminCommands(RawHost host) throws IOException {
        for (int i = 0; i < 4; i++) {
            host.submit(admin(Opcode.Admin.ASYNC_EVENT_REQUEST, sqe -> {}));
            host.submit(admin(Opcode.Admin.IDENTIFY, sqe -> {
                sqe.cdw(10, 1);
                sqe.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 4096);
            }));
            host.submit(admin(Opcode.Admin.GET_LOG_PAGE, sqe -> {
                GetLogPageCommand.encode(sqe, LogPageId.ERROR_INFORMATION, 4096, 0);
                sqe.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 4096);
            }));
            int command = 0x1230 + random.nextInt(20);
            host.submit(admin(Opcode.Admin.ABORT, sqe -> sqe.cdw(10, (long) command << 16)));
            host.submit(admin(Opcode.Admin.KEEP_ALIVE, sqe -> {}));
        }
    }

    /** Half of a fused pair, writes whose data does not come, or not all, copies, and reads that nobody fetches. */
    private void ioCommands(RawHost host) throws IOException {
        host.submit(blocks(Opcode.Nvm.READ, 0, LARGE_BYTES));
        Sqe compare = blocks(Opcode.Nvm.COMPARE, 8, BLOCK_BYTES);
        compare.fuse(Sqe.FUSED_FIRST);
        compare.sgl1().set(SglDescriptor.IN_CAPSULE, 0, BLOCK_BYTES);
        host.submit(compare, new byte[BLOCK_BYTES]);
        if (random.nextBoolean()) {
            Sqe write = blocks(Opcode.Nvm.WRITE, 8, BLOCK_BYTES);
            write.fuse(Sqe.FUSED_SECOND);
            host.submit(write);
        }
        Sqe copy = Sqe.allocate();
        CopyCommand.encode(copy, 1, 64, 1);
        copy.sgl1().set(SglDescriptor.IN_CAPSULE, 0, 32);
        host.submit(copy, new byte[32]);
        host.submit(blocks(Opcode.Nvm.WRITE_UNCORRECTABLE, 1000, 0));
        int write = host.submit(blocks(Opcode.Nvm.WRITE, 256, LARGE_BYTES));
        // Tags of R2Ts are guessed: a wrong one ends the connection, which is one more way to end it.
        host.send(host.hostData(write, random.nextInt(4), 0, new byte[LARGE_BYTES / 2], false));
        host.submit(blocks(Opcode.Nvm.WRITE, 512, LARGE_BYTES));
        host.submit(blocks(Opcode.Nvm.FLUSH, 0, 0));
    }

    private static Sqe blocks(int opcode, long startBlock, int lengthBytes) {
        Sqe sqe = Sqe.allocate();
        ReadWriteCommand.encode(sqe, opcode, 1, startBlock, Math.max(1, lengthBytes / BLOCK_BYTES));
        sqe.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, lengthBytes);
        return sqe;
    }

    private void awaitNobody(long seed) {
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            assertEquals(List.of(), target.administration().controllers(NQN), "seed " + seed);
            assertEquals(List.of(), target.administration().controllers(Nqn.DISCOVERY), "seed " + seed);
            assertEquals(List.of(), target.administration().controllerTable().all(), "seed " + seed);
            assertEquals(List.of(), target.queues(), "seed " + seed);
            for (TargetLoop loop : target.loops()) {
                assertAllFree(loop.buffers().slab(), "data, seed " + seed);
                assertAllFree(loop.buffers().capsuleBuffers().slab(), "data in capsules, seed " + seed);
            }
        });
    }

    private static int descriptors() {
        return new File("/proc/self/fd").list().length;
    }
}
