package io.nvmf.conformance.suite;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.fabrics.PropertyCommand;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Bench;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.RdmaQueue;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What queues over RDMA carry at a time, and what becomes of them when a host is wrong or goes. */
@SuiteName(value = "RDMA.QUEUE", over = SuiteName.Over.RDMA)
public final class RdmaQueueSuite extends RdmaIoSuite {
    /** Long enough that several transfers are under way. */
    private static final int LONG_BYTES = 64 << 10;

    // ---- a full queue

    @Check(
            says = "As many reads as HSQSIZE and CRQSIZE allow, posted at once, ten times over: all are completed",
            source = "NVMe-oF 1.1 s7.3: HSQSIZE; hosts keep their queues full")
    void full() throws IOException {
        RdmaQueue io = io(associate(), Math.min(128, facts().maxQueueEntries()));
        int depth = io.mostOutstanding();
        for (int round = 0; round < 10; round++) {
            io.holdCapsules(true);
            List<Integer> commands = new ArrayList<>();
            for (int i = 0; i < depth; i++) {
                commands.add(io.submit(read(0, 1), Payload.in(facts().blockBytes())));
            }
            io.holdCapsules(false);
            expectAllSucceed(io, commands);
        }
    }

    @Check(
            says = "A queue kept full, each response answered by the next read at once: 500 reads are completed",
            source = "a response frees the place of its command: hosts send the next one at once")
    void keptFull() throws IOException {
        RdmaQueue io = io(associate());
        int depth = io.mostOutstanding();
        Deque<Integer> commands = new ArrayDeque<>();
        for (int i = 0; i < 500; i++) {
            if (commands.size() == depth) {
                expectSuccess(io.await(commands.remove(), answerMs()), "read " + (i - depth));
            }
            commands.add(io.submit(read(0, 1), Payload.in(facts().blockBytes())));
        }
        expectAllSucceed(io, new ArrayList<>(commands));
    }

    @Check(says = "A full admin queue, posted at once: all are completed", source = "NVMe-oF 1.1 s7.3")
    void fullAdminQueue() throws IOException {
        RdmaQueue admin = (RdmaQueue) associate().admin();
        admin.holdCapsules(true);
        List<Integer> commands = new ArrayList<>();
        for (int i = 0; i < admin.mostOutstanding(); i++) {
            Sqe sqe = Sqe.allocate();
            PropertyCommand.encodeGet(sqe, Property.VS);
            commands.add(admin.submit(sqe, Payload.NONE));
        }
        admin.holdCapsules(false);
        expectAllSucceed(admin, commands);
    }

    private void expectAllSucceed(RdmaQueue queue, List<Integer> commands) throws IOException {
        for (int i = 0; i < commands.size(); i++) {
            expectSuccess(queue.await(commands.get(i), answerMs()), "command " + i + " of " + commands.size());
        }
    }

    @Check(
            says =
                    "A full queue of writes on a connection that allows one RDMA READ at a time: what was written is read",
            source = "NVMe-oF 1.1 s7.3: more READs than the request allows break the connection",
            needs = Needs.DATA_LOSS)
    void oneReadAtATime() throws IOException {
        expectWritten(1);
    }

    @Check(
            says =
                    "A full queue of writes on a connection that allows three RDMA READs at a time: what was written is read",
            source = "NVMe-oF 1.1 s7.3: more READs than the request allows break the connection",
            needs = Needs.DATA_LOSS)
    void threeReadsAtATime() throws IOException {
        expectWritten(3);
    }

    private void expectWritten(int reads) throws IOException {
        int bytes = longBytes();
        int blocks = bytes / facts().blockBytes();
        int places = (int) Math.min(16, facts().blocks() / blocks);
        Association association = associate();
        RdmaQueue io = bench().rdma(1, Association.DEPTH, reads);
        expectSuccess(bench().connect(io, association.ioSpec(1)), "Connect of I/O queue 1");
        io.holdCapsules(true);
        List<byte[]> written = new ArrayList<>();
        List<Integer> commands = new ArrayList<>();
        for (int i = 0; i < io.mostOutstanding(); i++) {
            byte[] data = i < places ? pattern(bytes) : written.get(i % places);
            written.add(data);
            commands.add(io.submit(write((long) (i % places) * blocks, blocks), Payload.fetched(data)));
        }
        io.holdCapsules(false);
        expectAllSucceed(io, commands);
        for (int i = 0; i < Math.min(places, written.size()); i++) {
            Answer answer = execute(io, read((long) i * blocks, blocks), Payload.in(bytes));
            expectSuccess(answer, "the read");
            expect(Arrays.equals(written.get(i), answer.data()), "what write " + i + " wrote", "something else");
        }
    }

    private int longBytes() {
        return Math.min(LONG_BYTES, mostBytes());
    }

    // ---- a host that is wrong

    @Check(
            says = "A read into memory whose key is wrong: it fails or its connection ends, others go on",
            source = "NVMe-oF 1.1 s7.2",
            level = Level.ROBUST)
    void wrongKeyOfRead() throws IOException {
        expectEndsAlone(read(0, 1), wrongKey(Payload.in(facts().blockBytes())));
    }

    @Check(
            says = "A write from memory whose key is wrong: it fails or its connection ends, others go on",
            source = "NVMe-oF 1.1 s7.2",
            level = Level.ROBUST,
            needs = Needs.DATA_LOSS)
    void wrongKeyOfWrite() throws IOException {
        expectEndsAlone(write(0, 1), wrongKey(Payload.fetched(new byte[facts().blockBytes()])));
    }

    private static Payload wrongKey(Payload payload) {
        return payload.sgl(sgl -> sgl.setKeyed(sgl.address(), sgl.keyedLengthBytes(), sgl.key() ^ 0x0055_5500, false));
    }

    @Check(
            says = "A read into memory that is one block too short: it fails or its connection ends, others go on",
            source = "NVMe-oF 1.1 s7.2",
            level = Level.ROBUST)
    void shortMemoryOfRead() throws IOException {
        int block = facts().blockBytes();
        expectEndsAlone(read(0, 2), Payload.in(block).describedAs(2L * block));
    }

    @Check(
            says = "A write from memory that is one block too short: it fails or its connection ends, others go on",
            source = "NVMe-oF 1.1 s7.2",
            level = Level.ROBUST,
            needs = Needs.DATA_LOSS)
    void shortMemoryOfWrite() throws IOException {
        int block = facts().blockBytes();
        expectEndsAlone(write(0, 2), Payload.fetched(new byte[block]).describedAs(2L * block));
    }

    private void expectEndsAlone(Sqe sqe, Payload payload) throws IOException {
        RdmaQueue good = io(associate());
        RdmaQueue bad = io(associate());
        Answer answer = execute(bad, sqe, payload);
        expect(
                answer.kind() != Answer.Kind.SILENCE && !answer.isSuccess(),
                "an error or the end of the connection",
                answer);
        expectSuccess(
                execute(good, read(0, 1), Payload.in(facts().blockBytes())), "a read of another controller's queue");
        expectAlive();
    }

    @Check(
            says = "A message of 63 bytes, which is no capsule: the target survives",
            source = "NVMe-oF 1.1 s2.1",
            level = Level.ROBUST)
    void shortCapsule() throws IOException {
        RdmaQueue io = io(associate());
        io.rdma().send(new byte[Sqe.BYTES - 1]);
        expectAlive();
    }

    // ---- a host that goes

    @Check(
            says =
                    "A host disconnects with writes and reads under way, eight times: the same QID connects again in time",
            source = "the target frees a queue in bounded time",
            level = Level.ROBUST,
            needs = Needs.DATA_LOSS)
    void disconnectUnderWay() throws IOException {
        int bytes = longBytes();
        int blocks = bytes / facts().blockBytes();
        Association association = associate();
        for (int round = 0; round < 8; round++) {
            RdmaQueue io = reconnect(association);
            io.holdCapsules(true);
            for (int i = 0; i < io.mostOutstanding() / 2; i++) {
                io.submit(write(0, blocks), Payload.fetched(pattern(bytes)));
                io.submit(read(0, blocks), Payload.in(bytes));
            }
            io.holdCapsules(false);
            io.rdma().disconnect();
        }
        expectReads(reconnect(association));
        expectAlive();
    }

    /** Connects queue 1 again; as long as the target still has the old one it may refuse. */
    private RdmaQueue reconnect(Association association) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(answerMs());
        while (true) {
            RdmaQueue io = bench().rdma(1, Association.DEPTH, Bench.RDMA_READS);
            Answer answer = bench().connect(io, association.ioSpec(1));
            if (answer.isSuccess()) {
                return io;
            }
            expect(
                    System.nanoTime() < deadline,
                    "QID 1 to be free within " + answerMs() + " ms after its connection has ended",
                    answer);
            io.close();
            pause(50);
        }
    }

    @Check(
            says = "The admin queue is disconnected: its I/O queues end too",
            source = "NVMe-oF 1.1 s3.3: an association ends with its admin queue",
            level = Level.SHOULD)
    void adminDisconnect() throws IOException {
        Association association = associate();
        RdmaQueue io = io(association);
        ((RdmaQueue) association.admin()).rdma().disconnect();
        expectEnded(io);
        expectAlive();
    }
}
