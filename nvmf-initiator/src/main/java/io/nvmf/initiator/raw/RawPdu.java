package io.nvmf.initiator.raw;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Cqe;
import io.nvmf.codec.Crc32c;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.tcp.Capsule;
import io.nvmf.codec.tcp.PduHeader;
import io.nvmf.codec.tcp.PduType;
import io.nvmf.codec.tcp.TermReq;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * One PDU of NVMe/TCP as it travels, right or wrong. What its own header says is believed as far as the bytes reach;
 * fields beyond the end read as zero.
 *
 * @param bytes all of it, not to be changed
 */
public record RawPdu(byte[] bytes) {
    /** The header in little-endian order, not to be changed, followed by zeroes when it is shorter than any header of a known type. */
    public ByteBuffer header() {
        byte[] whole = bytes.length < PduHeader.MAX_BYTES ? Arrays.copyOf(bytes, PduHeader.MAX_BYTES) : bytes;
        return ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Null when no type has this number. */
    public PduType type() {
        return PduType.of(PduHeader.type(header()));
    }

    public boolean is(PduType type) {
        return type() == type;
    }

    public boolean has(int flag) {
        return PduHeader.hasFlag(header(), flag);
    }

    /** HLEN. */
    public int headerLength() {
        return PduHeader.headerLength(header());
    }

    /** PDO. */
    public int dataOffset() {
        return PduHeader.dataOffset(header());
    }

    /** PLEN. */
    public long pduLength() {
        return PduHeader.pduLength(header());
    }

    /** The entry of a CapsuleCmd. */
    public Sqe command() {
        return new Sqe().wrap(header(), Capsule.ENTRY_OFFSET);
    }

    /** The entry of a CapsuleResp. */
    public Cqe completion() {
        return new Cqe().wrap(header(), Capsule.ENTRY_OFFSET);
    }

    /** A field of two bytes. */
    public int u16(int offset) {
        return Bytes.u16(header(), offset);
    }

    /** A field of four bytes. */
    public long u32(int offset) {
        return Bytes.u32(header(), offset);
    }

    /** What follows the header, without padding and digests: data, or what a TermReq shows of the refused PDU. */
    public byte[] data() {
        return Arrays.copyOfRange(bytes, dataStart(), dataEnd());
    }

    /** Whether the header's digest is right, or there is none. */
    public boolean headerDigestValid() {
        return !has(PduHeader.HEADER_DIGEST) || digestAt(headerLength()) == crc(0, headerLength());
    }

    /** Whether the data's digest is right, or there is none. */
    public boolean dataDigestValid() {
        return !has(PduHeader.DATA_DIGEST)
                || dataStart() == dataEnd()
                || digestAt(dataEnd()) == crc(dataStart(), dataEnd());
    }

    private int dataStart() {
        int start = is(PduType.C2H_TERM_REQ) || is(PduType.H2C_TERM_REQ) ? TermReq.BYTES : dataOffset();
        return start == 0 ? bytes.length : Math.min(start, bytes.length);
    }

    private int dataEnd() {
        int digest = has(PduHeader.DATA_DIGEST) ? Crc32c.BYTES : 0;
        return Math.max(dataStart(), bytes.length - digest);
    }

    private int digestAt(int offset) {
        return offset + Crc32c.BYTES <= bytes.length
                ? ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(offset)
                : 0;
    }

    private int crc(int from, int to) {
        return new Crc32c().of(bytes, from, Math.min(to, bytes.length) - from);
    }

    /** What it says, in one line. */
    @Override
    public String toString() {
        return PduText.of(this);
    }
}
