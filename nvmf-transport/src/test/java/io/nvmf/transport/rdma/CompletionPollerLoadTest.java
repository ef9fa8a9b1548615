package io.nvmf.transport.rdma;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.nvmf.transport.EventLoops;
import io.nvmf.transport.memory.MemoryRdma;
import io.nvmf.transport.memory.MemoryRdma.Counts;
import io.nvmf.transport.rdma.CompletionPoller.Polled;
import io.nvmf.transport.rdma.RdmaDevice.RemoteAccess;
import io.nvmf.transport.rdma.RdmaEnd.Memory;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Two loops that send to each other over several connections, all completions through pollers. */
class CompletionPollerLoadTest {
    private static final int CONNECTIONS = 5;
    private static final int DEPTH = 16;
    private static final int MESSAGE_BYTES = 64;
    private static final int ROUND_TRIPS = 2_000;
    private static final long SEND = 1L << 32;

    @TestFactory
    List<DynamicTest> shouldBringEveryMessageThereAndBack() {
        List<DynamicTest> tests = new ArrayList<>();
        for (EventLoops.Kind kind : EventLoops.Kind.values()) {
            if (kind.isAvailable()) {
                tests.add(DynamicTest.dynamicTest(kind + ", asleep", () -> run(kind, false)));
                tests.add(DynamicTest.dynamicTest(kind + ", busy", () -> run(kind, true)));
            }
        }
        return tests;
    }

    private void run(EventLoops.Kind kind, boolean busy) throws Exception {
        MemoryRdma rdma = new MemoryRdma();
        try (RdmaPair pair = new RdmaPair(rdma, kind, InetAddress.getByName("192.0.2.1"))) {
            CompletionPoller hostPoller = new CompletionPoller(pair.hostEnd.data(), busy);
            CompletionPoller targetPoller = new CompletionPoller(pair.targetEnd.data(), busy);
            List<Player> players = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                Player host =
                        new Player(pair.hostEnd, hostPoller, pair.hostEnd.resolve(pair.listening.address()), true);
                host.link.connect(RdmaPair.data(i, 32), 0, 0);
                RdmaLink accepted = pair.targetEnd.answer(pair.targetEnd.takeRequest());
                Player target = new Player(pair.targetEnd, targetPoller, accepted, false);
                accepted.accept(RdmaPair.data(i, 32), 0, 0);
                host.link.expect("established");
                accepted.expect("established");
                players.add(target);
                players.add(host);
            }
            for (Player player : players) {
                player.start();
            }
            await().atMost(Duration.ofSeconds(RdmaEnd.PATIENCE_S))
                    .until(() -> players.stream().allMatch(player -> player.received >= ROUND_TRIPS));
            for (Player player : players) {
                assertEquals("", player.wrong);
            }
            for (Player player : players) {
                player.close();
            }
            pair.hostEnd.onData(() -> close(hostPoller));
            pair.targetEnd.onData(() -> close(targetPoller));
        }
        assertEquals(Counts.NONE, rdma.counts());
    }

    private static Object close(CompletionPoller poller) {
        poller.close();
        return null;
    }

    /**
     * One end of a connection: the host begins with a message in each slot, and either answers each message, until there were
     * enough.
     */
    private static final class Player implements CompletionPoller.Handler {
        private final RdmaEnd end;
        private final RdmaLink link;
        private final boolean begins;
        private final Polled polled;
        private final QueuePair queuePair;
        private final Memory memory;
        private long sent;
        private long sendsDone;
        volatile long received;
        volatile String wrong = "";

        Player(RdmaEnd end, CompletionPoller poller, RdmaLink link, boolean begins) throws Exception {
            this.end = end;
            this.link = link;
            this.begins = begins;
            RdmaDevice device = link.id.device();
            polled = end.onControl(() -> poller.add(device, 4 * DEPTH, this));
            QueuePairSize size = new QueuePairSize(2 * DEPTH, 2 * DEPTH);
            queuePair = end.onControl(() -> link.id.createQueuePair(polled.queue(), size));
            memory = end.register(device, 2 * DEPTH * MESSAGE_BYTES, RemoteAccess.NONE);
            end.onControl(() -> {
                for (int slot = 0; slot < DEPTH; slot++) {
                    receive(slot);
                }
                return null;
            });
        }

        void start() throws Exception {
            end.onData(() -> {
                polled.start();
                if (begins) {
                    for (int slot = 0; slot < DEPTH; slot++) {
                        send();
                    }
                    queuePair.post();
                }
                return null;
            });
        }

        void close() throws Exception {
            end.onData(() -> {
                polled.remove();
                return null;
            });
            end.onControl(() -> {
                queuePair.close();
                polled.close();
                link.id.close();
                memory.region().close();
                return null;
            });
        }

        private void receive(int slot) {
            queuePair.postReceive(
                    slot, memory.address(slot * MESSAGE_BYTES), MESSAGE_BYTES, memory.localKey(), 0, 0, 0);
        }

        private void send() {
            int slot = (int) (DEPTH + sent % DEPTH);
            memory.buffer().putLong(slot * MESSAGE_BYTES, sent);
            queuePair.addSend(
                    SEND | sent % DEPTH,
                    memory.address(slot * MESSAGE_BYTES),
                    MESSAGE_BYTES,
                    memory.localKey(),
                    0,
                    0,
                    0);
            sent++;
        }

        @Override
        public void onCompletions(Completions batch, int count) {
            for (int i = 0; i < count; i++) {
                long workId = batch.workId(i);
                if (batch.status(i) != Completions.SUCCESS) {
                    wrong = Completions.statusName(batch.status(i));
                } else if (workId >= SEND) {
                    sendsDone++;
                } else {
                    received((int) workId);
                }
            }
        }

        private void received(int slot) {
            long number = memory.buffer().getLong(slot * MESSAGE_BYTES);
            if (number != received) {
                wrong = "message " + number + " where " + received + " was due";
            }
            receive(slot);
            received++;
            if (sent < ROUND_TRIPS) {
                send();
            }
        }

        @Override
        public void onBatchesDone() {
            if (sent - sendsDone > 2 * DEPTH) {
                wrong = "too many sends outstanding";
            }
            queuePair.post();
        }

        @Override
        public void onBroken() {
            wrong = "broken";
        }
    }
}
