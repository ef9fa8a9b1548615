package io.nvmf.conformance.suite;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.feature.FeatureId;
import io.nvmf.codec.feature.FeaturesCommand;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.RawQueue;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Full queues, many queues, and hosts that are slow. Those that take long keep to the second half of the namespace. */
@SuiteName("STRESS.QUEUE")
public final class StressQueueSuite extends IoSuite {
    private static final int SLOW_READS = 64;
    private static final int SLOW_READ_BYTES = 256 << 10;
    private static final int SLOW_MS = 20_000;
    private static final int MANY_QUEUES = 16;
    /** Blocks of a command of each slot: few, many and odd numbers. */
    private static final int[] MIXED_BLOCKS = {1, 8, 3, 16, 1, 32, 5, 2};

    private static final int MOST_MIXED_BLOCKS = 32;

    // ---- depth

    @Check(
            says = "SQSIZE commands outstanding at once, as many as a queue with flow control can hold: all complete",
            source = "NVMe Base 2.0 s3.3.1.2")
    void fullQueue() throws IOException {
        expectAllRead(Association.DEPTH - 1);
    }

    @Check(
            says = "SQSIZE + 1 commands outstanding at once: all complete",
            source = "hosts without flow control have so many",
            level = Level.INFO)
    void asManyAsEntries() throws IOException {
        expectAllRead(Association.DEPTH);
    }

    @Check(
            says = "A queue as deep as MQES allows, full: all commands complete",
            source = "NVMe Base 2.0 s3.1.3.1 (CAP.MQES)")
    void deepestQueue() throws IOException {
        int depth = Math.min(facts().maxQueueEntries(), 1024);
        RawQueue deep = controller().io(depth);
        expectAllRead(deep, depth - 1);
    }

    private void expectAllRead(int commands) throws IOException {
        expectAllRead(queue(), commands);
    }

    private void expectAllRead(RawQueue full, int commands) throws IOException {
        for (int id : submitReads(full, commands, 1)) {
            expectSuccess(full.await(id, answerMs()), "one of " + commands + " Reads");
        }
        read(full, 0, 1);
    }

    @Check(
            says = "One command more than the queue has entries: answered, or the connection ends; others go on",
            source = "NVMe Base 2.0 s3.3.1.2; hosts must not be able to harm others",
            level = Level.ROBUST)
    void oneTooMany() throws IOException {
        RawQueue other = associate().io();
        RawQueue full = queue();
        for (int id : submitReads(full, Association.DEPTH + 1, 1)) {
            Answer answer = full.await(id, answerMs());
            expect(answer.kind() != Answer.Kind.SILENCE, "an answer or the end of the connection", answer);
        }
        read(other, 0, 1);
        expectAlive();
    }

    private List<Integer> submitReads(RawQueue full, int commands, int count) throws IOException {
        List<Integer> ids = new ArrayList<>();
        full.holdCapsules(true);
        for (int i = 0; i < commands; i++) {
            ids.add(full.submit(reading(i % 16, count), Payload.in(count * blockBytes())));
        }
        full.holdCapsules(false);
        return ids;
    }

    // ---- many queues

    @Check(
            says =
                    "All I/O queues of a controller full of Writes, then of Reads, of mixed sizes, for 20 s: every block reads back",
            source = "NVMe Base 2.0 s3.4.1",
            needs = Needs.DATA_LOSS,
            seconds = 25)
    void allQueuesFull() throws IOException {
        List<RawQueue> queues = manyQueues();
        int slots = Association.DEPTH - 1;
        int slotBlocks = Math.min(MOST_MIXED_BLOCKS, maxBlocks());
        // The last blocks belong to checks that take their turn, what is before to those of slow hosts.
        long from = besideBlock() + slowBlocks();
        int used = (int) Math.min(queues.size(), (blocks() - 64 - from) / ((long) slots * slotBlocks));
        skipUnless(used > 0, "the namespace has only " + blocks() + " blocks");
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(SLOW_MS);
        int round = 0;
        while (System.nanoTime() < end) {
            writeAndRead(queues.subList(0, used), slots, from, slotBlocks, round++);
            // Other checks have the target and this machine, too.
            pause(10);
        }
    }

    /** As many as the controller grants, or as this check can make use of. */
    private List<RawQueue> manyQueues() throws IOException {
        Sqe sqe = FeaturesCommand.encodeSet(
                Sqe.allocate(), FeatureId.NUMBER_OF_QUEUES, (MANY_QUEUES - 1) << 16 | MANY_QUEUES - 1);
        long granted =
                expectSuccess(controller().admin(sqe), "Set Features 07h").dw0();
        List<RawQueue> queues = new ArrayList<>();
        while (queues.size() < MANY_QUEUES && queues.size() <= (granted & 0xFFFF)) {
            queues.add(controller().io());
        }
        return queues;
    }

    private void writeAndRead(List<RawQueue> queues, int slots, long from, int slotBlocks, int round)
            throws IOException {
        for (boolean writes : new boolean[] {true, false}) {
            List<List<Integer>> ids = new ArrayList<>();
            for (int q = 0; q < queues.size(); q++) {
                List<Integer> ofQueue = new ArrayList<>();
                for (int slot = 0; slot < slots; slot++) {
                    long block = from + ((long) q * slots + slot) * slotBlocks;
                    int count = Math.min(slotBlocks, MIXED_BLOCKS[(slot + round) % MIXED_BLOCKS.length]);
                    ofQueue.add(
                            writes
                                    ? queues.get(q).submit(writing(block, count), out(content(round, block, count)))
                                    : queues.get(q).submit(reading(block, count), Payload.in(count * blockBytes())));
                }
                ids.add(ofQueue);
            }
            for (int q = 0; q < queues.size(); q++) {
                for (int slot = 0; slot < slots; slot++) {
                    long block = from + ((long) q * slots + slot) * slotBlocks;
                    Answer answer = queues.get(q).await(ids.get(q).get(slot), answerMs());
                    expectSuccess(answer, (writes ? "Write" : "Read") + " at " + block);
                    if (!writes) {
                        int count = answer.data().length / blockBytes();
                        expectSame(content(round, block, count), answer.data(), block, "what was written");
                    }
                }
            }
        }
    }

    private byte[] content(int round, long block, int count) {
        return pattern("AllQueuesFull " + round, block, count);
    }

    // ---- slow hosts

    @Check(
            says = "A host does not take 64 large answers for 20 s: another host is served all the time",
            source = "one host must not be able to stop others",
            level = Level.ROBUST,
            needs = Needs.DATA_LOSS,
            seconds = 30)
    void slowReader() throws IOException {
        int count = Math.max(1, Math.min(SLOW_READ_BYTES / blockBytes(), slowBlocks()));
        write(queue(), besideBlock(), pattern("SlowReader", besideBlock(), count));
        RawQueue slow = controller().io(SLOW_READS + 1);
        for (int i = 0; i < SLOW_READS; i++) {
            slow.submit(reading(besideBlock(), count), Payload.in(count * blockBytes()));
        }
        RawQueue other = associate().io();
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(SLOW_MS);
        while (System.nanoTime() < end) {
            read(other, besideBlock(), 1);
            pause(100);
        }
        expectAlive();
    }

    /** So many blocks at {@link #besideBlock} are read, and written, by slow hosts. */
    private int slowBlocks() {
        return (int) Math.min(Math.min(SLOW_READ_BYTES / blockBytes(), maxBlocks()), Math.max(1, blocks() / 8));
    }
}
