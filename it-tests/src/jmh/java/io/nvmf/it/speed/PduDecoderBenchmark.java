package io.nvmf.it.speed;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nvmf.codec.Opcode;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.codec.tcp.PduException;
import io.nvmf.codec.tcp.PduFormat;
import io.nvmf.codec.tcp.PduType;
import io.nvmf.codec.tcp.PduType.Direction;
import io.nvmf.transport.tcp.PduDecoder;
import io.nvmf.transport.tcp.PduListener;
import io.nvmf.transport.tcp.PduWriter;
import java.nio.ByteBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** Cuts PDUs from a stream, 32 at a time; their data is passed over. */
@OperationsPerInvocation(PduDecoderBenchmark.PDUS)
public class PduDecoderBenchmark extends LoopBenchmark implements PduListener {
    static final int PDUS = 32;

    /** What the PDUs are: commands without data, commands with 4 KiB in the capsule, H2CData. */
    public enum Kind {
        COMMAND(0),
        COMMAND_4K(4096),
        DATA_4K(4096),
        DATA_128K(131072);

        private final int dataBytes;

        Kind(int dataBytes) {
            this.dataBytes = dataBytes;
        }
    }

    @Param
    public Kind kind;

    @Param({"false", "true"})
    public boolean digests;

    private PduDecoder decoder;
    private ByteBuf stream;
    private int ended;

    @Setup
    public void encode() {
        PduFormat format = new PduFormat(Direction.H2C, digests, digests, 4);
        decoder = new PduDecoder(Direction.H2C, this);
        decoder.format(format);
        stream = Unpooled.directBuffer();
        ByteBuf payload = Unpooled.directBuffer(kind.dataBytes).writeZero(kind.dataBytes);
        DiscardChannel channel = new DiscardChannel();
        channel.keepIn(stream);
        PduWriter writer = new PduWriter(channel, Direction.H2C);
        writer.format(format);
        Sqe sqe = ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.WRITE, 1, 0, 8);
        sqe.sgl1().set(SglDescriptor.IN_CAPSULE, 0, kind.dataBytes);
        for (int i = 0; i < PDUS; i++) {
            if (kind == Kind.COMMAND || kind == Kind.COMMAND_4K) {
                writer.capsuleCmdHeader(sqe.commandId(i), kind.dataBytes);
            } else {
                writer.h2cDataHeader(i, i, 0, kind.dataBytes, true);
            }
            if (kind.dataBytes > 0) {
                writer.data(payload, 0, kind.dataBytes);
                writer.endData();
            }
        }
        writer.flush();
    }

    @Benchmark
    public int decode() throws PduException {
        ended = 0;
        decoder.decode(stream.readerIndex(0));
        if (ended != PDUS) {
            throw new IllegalStateException(ended + " PDUs");
        }
        return ended;
    }

    @Override
    public void onHeader(PduType type, ByteBuffer header, int dataLengthBytes) {
        // The stream is what the benchmark made it.
    }

    @Override
    public void onData(ByteBuf in, int lengthBytes) {
        in.skipBytes(lengthBytes);
    }

    @Override
    public void onEnd(boolean dataDigestValid) {
        ended += dataDigestValid ? 1 : 0;
    }
}
