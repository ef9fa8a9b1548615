package io.nvmf.it.speed;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nvmf.codec.tcp.PduFormat;
import io.nvmf.codec.tcp.PduHeader;
import io.nvmf.codec.tcp.PduType.Direction;
import io.nvmf.transport.tcp.PduWriter;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** Writes PDUs into a channel that throws them away, 32 in one flush. */
@OperationsPerInvocation(PduWriterBenchmark.PDUS)
public class PduWriterBenchmark extends LoopBenchmark {
    static final int PDUS = 32;

    /** Of C2HData; 0: a CapsuleResp instead. */
    @Param({"0", "4096", "131072"})
    public int dataBytes;

    @Param({"false", "true"})
    public boolean digests;

    private DiscardChannel channel;
    private PduWriter writer;
    private ByteBuf payload;

    @Setup
    public void open() {
        channel = new DiscardChannel();
        writer = new PduWriter(channel, Direction.C2H);
        writer.format(new PduFormat(Direction.C2H, digests, digests, 4));
        payload = Unpooled.directBuffer(dataBytes).writeZero(dataBytes);
    }

    @Benchmark
    public long write() {
        for (int i = 0; i < PDUS; i++) {
            if (dataBytes == 0) {
                writer.capsuleResp(0, 0, i, 0);
            } else {
                writer.c2hDataHeader(i, 0, dataBytes, PduHeader.LAST_PDU | PduHeader.SUCCESS);
                writer.data(payload, 0, dataBytes);
                writer.endData();
            }
        }
        writer.flush();
        return channel.sentBytes();
    }
}
