package io.nvmf.initiator.raw;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Crc32c;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.tcp.Capsule;
import io.nvmf.codec.tcp.DataPdu;
import io.nvmf.codec.tcp.InitializeConnection;
import io.nvmf.codec.tcp.PduFormat;
import io.nvmf.codec.tcp.PduHeader;
import io.nvmf.codec.tcp.PduType;
import io.nvmf.codec.tcp.PduType.Direction;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * Makes a PDU a host may send, first as it must be, then with whatever is to be wrong. Changes of the header are made
 * before its digest is taken, so that one is right unless {@link #wrongHeaderDigest} asks for another; {@link #byteAt}
 * changes the finished bytes.
 */
public final class PduBuilder {
    private final ByteBuffer header;
    private final PduFormat format;
    private final byte[] data;
    private final List<Consumer<byte[]>> changes = new ArrayList<>();
    private int headerDigestMask;
    private int dataDigestMask;

    private PduBuilder(ByteBuffer header, PduFormat format, byte[] data) {
        this.header = header;
        this.format = format;
        this.data = data;
    }

    /** ICReq. @param maxR2tZeroBased MAXR2T */
    public static PduBuilder icReq(int hpda, int digests, long maxR2tZeroBased) {
        ByteBuffer header = Bytes.allocate(InitializeConnection.BYTES);
        InitializeConnection.encodeRequest(header, hpda, digests, maxR2tZeroBased);
        return new PduBuilder(header, PduFormat.initial(Direction.H2C), new byte[0]);
    }

    /** ICReq that asks for nothing special. */
    public static PduBuilder icReq() {
        return icReq(0, 0, 0);
    }

    /** CapsuleCmd with data in the capsule, or none. The entry is copied. */
    public static PduBuilder capsule(PduFormat format, Sqe sqe, byte... data) {
        ByteBuffer header = Bytes.allocate(Capsule.COMMAND_BYTES);
        header.put(Capsule.ENTRY_OFFSET, sqe.buffer(), sqe.offset(), Sqe.BYTES);
        Capsule.encodeCommandHeader(header, format, data.length);
        return new PduBuilder(header, format, data);
    }

    /** H2CData. */
    public static PduBuilder h2cData(
            PduFormat format, int commandId, int transferTag, long offsetBytes, byte[] data, boolean last) {
        ByteBuffer header = Bytes.allocate(DataPdu.BYTES);
        int flags = last ? PduHeader.LAST_PDU : 0;
        DataPdu.encodeH2C(header, format, commandId, transferTag, offsetBytes, data.length, flags);
        return new PduBuilder(header, format, data);
    }

    /** A header of any kind without data, such as an H2CTermReq: zero but for type, HLEN and PLEN. */
    public static PduBuilder header(int type, int headerLength) {
        ByteBuffer header = Bytes.allocate(headerLength);
        header.put(PduHeader.TYPE_OFFSET, (byte) type);
        header.put(PduHeader.HLEN_OFFSET, (byte) headerLength);
        header.putInt(PduHeader.PLEN_OFFSET, headerLength);
        return new PduBuilder(header, PduFormat.initial(Direction.H2C), new byte[0]);
    }

    /** FLAGS, all of them. */
    public PduBuilder flags(int flags) {
        return u8(PduHeader.FLAGS_OFFSET, flags);
    }

    /** HLEN, without the header becoming longer or shorter. */
    public PduBuilder hlen(int headerLength) {
        return u8(PduHeader.HLEN_OFFSET, headerLength);
    }

    /** PDO, without the data moving. */
    public PduBuilder pdo(int dataOffset) {
        return u8(PduHeader.PDO_OFFSET, dataOffset);
    }

    /** PLEN, without the PDU becoming longer or shorter. */
    public PduBuilder plen(long pduLength) {
        return u32(PduHeader.PLEN_OFFSET, pduLength);
    }

    /** A byte of the header. */
    public PduBuilder u8(int offset, int value) {
        header.put(offset, (byte) value);
        return this;
    }

    /** Two bytes of the header. */
    public PduBuilder u16(int offset, int value) {
        header.putShort(offset, (short) value);
        return this;
    }

    /** Four bytes of the header. */
    public PduBuilder u32(int offset, long value) {
        header.putInt(offset, (int) value);
        return this;
    }

    /** One bit of HDGST is wrong; no effect without header digests. */
    public PduBuilder wrongHeaderDigest() {
        headerDigestMask = 1;
        return this;
    }

    /** One bit of DDGST is wrong; no effect without data and data digests. */
    public PduBuilder wrongDataDigest() {
        dataDigestMask = 1;
        return this;
    }

    /** A byte of the finished PDU, digests and all. */
    public PduBuilder byteAt(int offset, int value) {
        changes.add(bytes -> bytes[offset] = (byte) value);
        return this;
    }

    /** The bytes, as many as header, padding, data and digests need, whatever PLEN says. */
    public RawPdu build() {
        PduType type = PduType.of(PduHeader.type(header));
        int headerBytes = header.capacity();
        boolean headerDigest = format.headerDigest() && type != null && type.isDigested();
        int end = headerBytes + (headerDigest ? Crc32c.BYTES : 0);
        int dataAt = data.length == 0 ? end : format.dataOffset(type);
        int dataDigest = data.length == 0 ? 0 : format.dataDigestBytes();
        ByteBuffer pdu = Bytes.allocate(dataAt + data.length + dataDigest);
        pdu.put(0, header, 0, headerBytes);
        if (headerDigest) {
            pdu.putInt(headerBytes, new Crc32c().of(header.array(), 0, headerBytes) ^ headerDigestMask);
        }
        pdu.put(dataAt, data);
        if (dataDigest > 0) {
            pdu.putInt(dataAt + data.length, new Crc32c().of(data, 0, data.length) ^ dataDigestMask);
        }
        changes.forEach(change -> change.accept(pdu.array()));
        return new RawPdu(pdu.array());
    }

    /** The bytes of {@link #build}, and others behind them. */
    public byte[] followedBy(byte... more) {
        byte[] first = build().bytes();
        byte[] all = Arrays.copyOf(first, first.length + more.length);
        System.arraycopy(more, 0, all, first.length, more.length);
        return all;
    }
}
