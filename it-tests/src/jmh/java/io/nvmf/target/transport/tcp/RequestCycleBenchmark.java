package io.nvmf.target.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nvmf.codec.Cqe;
import io.nvmf.codec.Opcode;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.codec.tcp.Capsule;
import io.nvmf.codec.tcp.R2T;
import io.nvmf.it.speed.LoopBenchmark;
import io.nvmf.target.backend.memory.MemoryBlockDevice;
import io.nvmf.target.config.TargetLimits;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * All that the target does for a command but the system calls: from the bytes of its capsule, through decoder, queue, checks
 * and a device in memory, to the bytes of its answer. 16 commands come in one read of the socket.
 */
@OperationsPerInvocation(RequestCycleBenchmark.COMMANDS)
public class RequestCycleBenchmark extends LoopBenchmark {
    static final int COMMANDS = 16;

    private static final int DEVICE_BYTES = 64 << 20;
    private static final int BLOCK_BYTES = 512;

    @Param({"4096", "131072"})
    public int bytes;

    @Param({"false", "true"})
    public boolean digests;

    private ServedQueue queue;
    private ByteBuf reads;
    private ByteBuf writes;
    /** What the writes are asked for by R2T; empty when it is in their capsules. */
    private ByteBuf writeData = Unpooled.EMPTY_BUFFER;

    @Setup
    public void open() {
        queue = new ServedQueue(new MemoryBlockDevice(DEVICE_BYTES), digests);
        ByteBuf payload = Unpooled.directBuffer(bytes).writeZero(bytes);
        boolean inCapsule = bytes <= TargetLimits.DEFAULT.inCapsuleDataBytes();
        reads = Unpooled.directBuffer();
        writes = Unpooled.directBuffer();
        for (int i = 0; i < COMMANDS; i++) {
            reads.writeBytes(queue.encode(
                    command(Opcode.Nvm.READ, i, SglDescriptor.TRANSPORT_DATA_BLOCK), Unpooled.EMPTY_BUFFER));
            int identifier = inCapsule ? SglDescriptor.IN_CAPSULE : SglDescriptor.TRANSPORT_DATA_BLOCK;
            Sqe write = command(Opcode.Nvm.WRITE, i, identifier);
            writes.writeBytes(queue.encode(write, inCapsule ? payload : Unpooled.EMPTY_BUFFER));
        }
        if (!inCapsule) {
            writeData = dataAskedFor(queue.answer(writes), payload);
        }
        ByteBuffer completions = queue.answer(inCapsule ? writes : writeData);
        check(new Cqe().wrap(completions, Capsule.ENTRY_OFFSET).status() == 0, "a write failed");
        check(queue.answer(reads).remaining() > COMMANDS * bytes, "a read failed");
    }

    private Sqe command(int opcode, int commandId, int identifier) {
        int blocks = bytes / BLOCK_BYTES;
        Sqe sqe = ReadWriteCommand.encode(Sqe.allocate(), opcode, 1, (long) commandId * blocks, blocks);
        sqe.commandId(commandId).sgl1().set(identifier, 0, bytes);
        return sqe;
    }

    /** The last command's first: so the queue's free slots come to lie as they were, and the transfer tags are right again. */
    private ByteBuf dataAskedFor(ByteBuffer r2ts, ByteBuf payload) {
        int r2tBytes = r2ts.remaining() / COMMANDS;
        ByteBuf data = Unpooled.directBuffer();
        for (int i = COMMANDS - 1; i >= 0; i--) {
            ByteBuffer r2t = r2ts.slice(i * r2tBytes, r2tBytes).order(ByteOrder.LITTLE_ENDIAN);
            data.writeBytes(queue.encodeData(R2T.commandId(r2t), R2T.transferTag(r2t), payload));
        }
        return data;
    }

    private static void check(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalStateException(otherwise);
        }
    }

    @Benchmark
    public void read() {
        long before = queue.sentBytes();
        queue.deliver(reads);
        check(queue.sentBytes() - before > COMMANDS * bytes, "a read failed");
    }

    @Benchmark
    public void write() {
        long before = queue.sentBytes();
        queue.deliver(writes);
        if (writeData.capacity() > 0) {
            queue.deliver(writeData);
        }
        check(queue.sentBytes() - before >= COMMANDS * Capsule.RESPONSE_BYTES, "a write failed");
    }
}
