package io.nvmf.initiator.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.nvmf.codec.Bytes;
import io.nvmf.codec.Status;
import io.nvmf.codec.identify.IdentifyNamespace;
import io.nvmf.codec.tcp.InitializeConnection;
import io.nvmf.codec.tcp.PduFormat;
import io.nvmf.codec.tcp.PduHeader;
import io.nvmf.codec.tcp.PduType.Direction;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.initiator.namespace.NamespaceLimits;
import io.nvmf.initiator.queue.HostQueue;
import io.nvmf.initiator.queue.IoCallback;
import io.nvmf.initiator.queue.QueueListener;
import io.nvmf.initiator.queue.QueueOptions;
import io.nvmf.initiator.queue.QueueSelection;
import io.nvmf.initiator.queue.QueueSet;
import io.nvmf.it.speed.DiscardChannel;
import io.nvmf.it.speed.LoopBenchmark;
import io.nvmf.transport.tcp.PduWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * All that a host does for a request but the system calls: from the bytes of an answer, through decoder, queue and the
 * caller's callback, to the bytes of the next command. 16 answers come in one read of the socket; each makes way for the
 * next request.
 */
@OperationsPerInvocation(HostCycleBenchmark.REQUESTS)
public class HostCycleBenchmark extends LoopBenchmark {
    static final int REQUESTS = 16;

    private static final int DATA_BYTES = 4096;
    private static final int BLOCK_SHIFT = 9;
    private static final int TIMEOUT_MS = 1000;
    /** A slot gives its commands as many identifiers in turn. */
    private static final int GENERATIONS = 16;

    private static final int SLOT_BITS = 12;

    @Param({"read", "write"})
    public String operation;

    @Param({"false", "true"})
    public boolean digests;

    private final DiscardChannel channel = new DiscardChannel();
    private final HostQueue queue = new HostQueue(
            new QueueOptions("queue", REQUESTS, 0, 0, false, 1000),
            new ManualIoEventLoop(Thread.currentThread(), NioIoHandler.newFactory()),
            System::nanoTime);
    private final Namespace namespace = namespace();
    /** For the identifiers that the commands have in turn. */
    private final ByteBuf[] answers = new ByteBuf[GENERATIONS];

    private long rounds;
    private long done;

    /** A request that is submitted again when it is done. */
    private final class Repeated implements IoCallback {
        private final ByteBuffer data = ByteBuffer.allocateDirect(DATA_BYTES);
        private final boolean writes = operation.equals("write");

        void submit() {
            boolean accepted =
                    writes ? namespace.submitWrite(0, 0, data, false, this) : namespace.submitRead(0, 0, data, this);
            check(accepted, "the queue is full");
        }

        @Override
        public void onComplete(int status, long result) {
            check(Status.isSuccess(status), "a request failed");
            done++;
            submit();
        }
    }

    private static void check(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalStateException(otherwise);
        }
    }

    private Namespace namespace() {
        IdentifyNamespace identify = IdentifyNamespace.allocate();
        identify.set(IdentifyNamespace.Field.NSZE, DATA_BYTES >> BLOCK_SHIFT);
        identify.lbaFormat(0, new IdentifyNamespace.LbaFormat(0, BLOCK_SHIFT, 0));
        return new Namespace(
                1,
                identify,
                new QueueSet(List.of(queue), QueueSelection.PER_THREAD),
                new NamespaceLimits(DATA_BYTES, 0, 0, 0, 1, 0, 0),
                TIMEOUT_MS);
    }

    @Setup
    public void open() {
        TcpQueueConnection connection = new TcpQueueConnection(
                new QueueSetup("queue", 1, REQUESTS, 1, new CapsuleLayout(0, DATA_BYTES, 1)),
                new TcpOptions(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 4420), digests, digests, TIMEOUT_MS),
                queue);
        channel.pipeline().addLast(connection).fireChannelActive();
        deliver(icResp());
        queue.attach(connection, new QueueListener() {
            @Override
            public void onLost(ConnectionException reason) {
                throw new IllegalStateException(reason);
            }

            @Override
            public boolean onLate(int commandId) {
                return false;
            }
        });
        queue.resume();
        for (int i = 0; i < REQUESTS; i++) {
            new Repeated().submit();
        }
        channel.runPendingTasks();
        for (int generation = 0; generation < GENERATIONS; generation++) {
            // The first command of a slot is of generation 1.
            answers[generation] = answers((generation + 1) % GENERATIONS);
        }
    }

    private ByteBuf icResp() {
        ByteBuffer icResp = Bytes.allocate(InitializeConnection.BYTES);
        int bits = digests ? InitializeConnection.DIGEST_HEADER | InitializeConnection.DIGEST_DATA : 0;
        InitializeConnection.encodeResponse(icResp, 0, bits, DATA_BYTES);
        return Unpooled.wrappedBuffer(icResp);
    }

    private ByteBuf answers(int generation) {
        ByteBuf stream = Unpooled.directBuffer();
        ByteBuf payload = Unpooled.directBuffer(DATA_BYTES).writeZero(DATA_BYTES);
        DiscardChannel target = new DiscardChannel();
        target.keepIn(stream);
        PduWriter writer = new PduWriter(target, Direction.C2H);
        writer.format(new PduFormat(Direction.C2H, digests, digests, 4));
        for (int slot = 0; slot < REQUESTS; slot++) {
            int commandId = generation << SLOT_BITS | slot;
            if (operation.equals("read")) {
                writer.c2hDataHeader(commandId, 0, DATA_BYTES, PduHeader.LAST_PDU | PduHeader.SUCCESS);
                writer.data(payload, 0, DATA_BYTES);
                writer.endData();
            } else {
                writer.capsuleResp(0, 0, commandId, Status.SUCCESS);
            }
        }
        writer.flush();
        return stream;
    }

    /** Lets all of a buffer arrive, in one read of the socket; the buffer stays the caller's. */
    private void deliver(ByteBuf bytes) {
        channel.pipeline().fireChannelRead(bytes.readerIndex(0).retain());
        channel.pipeline().fireChannelReadComplete();
    }

    @Benchmark
    public void request() {
        long before = done;
        deliver(answers[(int) (rounds++ % GENERATIONS)]);
        check(done - before == REQUESTS, "a request is not done");
    }
}
