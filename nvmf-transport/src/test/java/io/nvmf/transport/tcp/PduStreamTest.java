package io.nvmf.transport.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.tcp.Capsule;
import io.nvmf.codec.tcp.DataPdu;
import io.nvmf.codec.tcp.FatalErrorStatus;
import io.nvmf.codec.tcp.PduException;
import io.nvmf.codec.tcp.PduFormat;
import io.nvmf.codec.tcp.PduHeader;
import io.nvmf.codec.tcp.PduType;
import io.nvmf.codec.tcp.PduType.Direction;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The writer's bytes, and the decoder however they are cut. */
class PduStreamTest {
    /** Notes what it is told, one line a PDU. */
    private static final class Recorder implements PduListener {
        final List<String> pdus = new ArrayList<>();
        /** Of data that came in one piece with its digest: whether it was right. */
        final List<Boolean> inOnePiece = new ArrayList<>();

        private PduType type;
        private String header;
        private final ByteBuf data = Unpooled.buffer();

        @Override
        public void onHeader(PduType type, ByteBuffer header, int dataLengthBytes) {
            this.type = type;
            this.header = ByteBufUtil.hexDump(header.array(), 0, type.headerBytes());
            data.clear();
        }

        @Override
        public void onData(ByteBuf in, int lengthBytes) {
            data.writeBytes(in, lengthBytes);
        }

        @Override
        public void onAllData(ByteBuf in, int lengthBytes, boolean digestValid) {
            inOnePiece.add(digestValid);
            onData(in, lengthBytes);
        }

        @Override
        public void onEnd(boolean dataDigestValid) {
            pdus.add(type + " " + header + " " + ByteBufUtil.hexDump(data) + " " + dataDigestValid);
        }
    }

    private final EmbeddedChannel channel = new EmbeddedChannel();

    /** What the writer has sent, which it then has no memory for any more. */
    private byte[] sent(PduWriter writer) {
        ByteBuf all = Unpooled.buffer();
        for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
            all.writeBytes(part);
            part.release();
        }
        writer.releaseSent();
        return ByteBufUtil.getBytes(all);
    }

    /** A read's answer, two R2Ts and a completion, in PDUs with data below and above what is copied. */
    private byte[] answers(PduFormat format) {
        PduWriter writer = new PduWriter(channel, Direction.C2H);
        writer.icResp(0, 3, 131072);
        writer.format(format);
        ByteBuf small = Unpooled.directBuffer().writeBytes(new byte[] {1, 2, 3, 4, 5});
        writer.c2hDataHeader(7, 0, 5, 0);
        assertFalse(writer.data(small, 0, 5), "copied");
        writer.endData();
        small.release();
        byte[] bytes = new byte[PduWriter.COPY_BYTES + 1];
        new Random(1).nextBytes(bytes);
        ByteBuf large = Unpooled.directBuffer().writeBytes(bytes);
        writer.c2hDataHeader(7, 5, bytes.length, PduHeader.LAST_PDU);
        assertTrue(writer.data(large, 0, bytes.length), "handed over");
        writer.endData();
        large.release();
        writer.r2t(8, 2, 4096, 65536);
        writer.r2t(9, 3, 0, 1);
        writer.capsuleResp(0x11223344, 5, 7, 0x4002);
        assertEquals(1, large.refCnt());
        writer.flush();
        byte[] all = sent(writer);
        assertEquals(0, large.refCnt());
        return all;
    }

    @Test
    void shouldHoldLittleMoreMemoryThanBytesThatTheSocketDoesNotTake() {
        UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
        EmbeddedChannel full = new EmbeddedChannel(new ChannelOutboundHandlerAdapter() {
            @Override
            public void flush(ChannelHandlerContext context) {
                // The socket takes nothing.
            }
        });
        full.config().setAllocator(allocator);
        PduWriter writer = new PduWriter(full, Direction.C2H);
        ByteBuf large = Unpooled.directBuffer().writeZero(PduWriter.COPY_BYTES + 1);
        int bytes = 0;
        for (int i = 0; i < 200; i++) {
            writer.c2hDataHeader(i, 0, large.readableBytes(), PduHeader.LAST_PDU);
            writer.data(large, 0, large.readableBytes());
            writer.endData();
            writer.flush();
            writer.capsuleResp(0, 0, i, 0);
            writer.flush();
            bytes += DataPdu.BYTES + large.readableBytes() + Capsule.RESPONSE_BYTES;
        }
        assertTrue(writer.waitingBytes() >= bytes, "and what they cost");
        long held = allocator.metric().usedDirectMemory();
        assertTrue(held <= 64 << 10, held + " bytes for the headers and completions of 200 commands");
        full.close();
        writer.release();
        large.release();
        assertEquals(0, allocator.metric().usedDirectMemory());
    }

    private static List<String> decode(byte[] bytes, PduFormat format, int... cuts) throws PduException {
        return record(bytes, format, cuts).pdus;
    }

    private static Recorder record(byte[] bytes, PduFormat format, int... cuts) throws PduException {
        Recorder recorder = new Recorder();
        PduDecoder decoder = new PduDecoder(Direction.C2H, recorder);
        int icResp = 128;
        decoder.decode(Unpooled.wrappedBuffer(bytes, 0, icResp));
        decoder.format(format);
        int from = icResp;
        for (int cut : cuts) {
            decoder.decode(Unpooled.wrappedBuffer(bytes, from, cut - from));
            from = cut;
        }
        decoder.decode(Unpooled.wrappedBuffer(bytes, from, bytes.length - from));
        assertFalse(decoder.isInsidePdu());
        return recorder;
    }

    @ParameterizedTest
    @CsvSource({"false,false,4", "true,false,4", "false,true,4", "true,true,4", "true,true,128"})
    void shouldReadTheSamePdusHoweverTheStreamIsCut(boolean headerDigest, boolean dataDigest, int alignment)
            throws PduException {
        PduFormat format = new PduFormat(Direction.C2H, headerDigest, dataDigest, alignment);
        byte[] bytes = answers(format);
        List<String> whole = decode(bytes, format);
        assertEquals(6, whole.size());
        assertTrue(whole.get(1).endsWith(" 0102030405 true"));
        for (int cut = 129; cut < bytes.length; cut++) {
            assertEquals(whole, decode(bytes, format, cut), "cut at " + cut);
        }
        Random random = new Random(2);
        for (int round = 0; round < 200; round++) {
            int[] cuts = random.ints(20, 129, bytes.length).sorted().toArray();
            assertEquals(whole, decode(bytes, format, cuts));
        }
    }

    @Test
    void shouldWriteTheKeepAliveCapsuleByteForByte() {
        PduWriter writer = new PduWriter(channel, Direction.H2C);
        writer.format(new PduFormat(Direction.H2C, true, false, 4));
        Sqe sqe = Sqe.allocate().clear(0x18).commandId(0x1234);
        sqe.sgl1().set(0x5A, 0, 0);
        writer.capsuleCmd(sqe);
        writer.flush();
        String expected = "040148004c000000" + "18403412" + "00".repeat(35) + "5a" + "00".repeat(24) + "391ecded";
        assertEquals(expected, ByteBufUtil.hexDump(sent(writer)));
    }

    @Test
    void shouldPadToTheReceiversAlignment() {
        PduWriter writer = new PduWriter(channel, Direction.C2H);
        writer.format(new PduFormat(Direction.C2H, false, false, 64));
        ByteBuf data = Unpooled.directBuffer().writeByte(0xAB);
        writer.c2hDataHeader(1, 0, 1, PduHeader.LAST_PDU);
        writer.data(data, 0, 1);
        writer.endData();
        writer.flush();
        data.release();
        String header = "07041840" + "41000000" + "0100" + "0000" + "00000000" + "01000000" + "00000000";
        assertEquals(header + "00".repeat(40) + "ab", ByteBufUtil.hexDump(sent(writer)));
    }

    @Test
    void shouldNameTheDigestThatDidNotMatch() {
        PduFormat format = new PduFormat(Direction.C2H, true, false, 4);
        byte[] bytes = answers(format);
        bytes[128 + 10] ^= 1;
        PduException e = assertThrows(PduException.class, () -> decode(bytes, format));
        assertEquals(FatalErrorStatus.HEADER_DIGEST_ERROR, e.status());
    }

    @Test
    void shouldTellDamagedData() throws PduException {
        PduFormat format = new PduFormat(Direction.C2H, false, true, 4);
        byte[] bytes = answers(format);
        bytes[128 + 24] ^= 1;
        List<String> pdus = decode(bytes, format);
        assertTrue(pdus.get(1).endsWith("false"));
        assertTrue(pdus.get(2).endsWith("true"), "the next PDU is not concerned");
    }

    @Test
    void shouldTellWhenAllDataIsThereAndWhetherItIsRight() throws PduException {
        for (boolean digest : new boolean[] {false, true}) {
            PduFormat format = new PduFormat(Direction.C2H, false, digest, 4);
            byte[] bytes = answers(format);
            int data = 128 + 24;
            int end = data + 5 + (digest ? 4 : 0);
            assertEquals(List.of(true, true), record(bytes, format).inOnePiece);
            assertEquals(List.of(true, true), record(bytes, format, data, end).inOnePiece);
            for (int cut = data + 1; cut < end; cut++) {
                assertEquals(List.of(true), record(bytes, format, cut).inOnePiece, "the second alone");
            }
            bytes[data] ^= 1;
            assertEquals(List.of(!digest, true), record(bytes, format).inOnePiece);
        }
    }

    @Test
    void shouldReturnItsBufferWhenNothingWasFlushed() {
        PduWriter writer = new PduWriter(channel, Direction.C2H);
        writer.capsuleResp(0, 0, 0, 0);
        writer.release();
        channel.flush();
        assertEquals(0, sent(writer).length);
    }
}
