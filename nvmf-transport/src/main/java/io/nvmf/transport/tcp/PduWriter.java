package io.nvmf.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.nvmf.codec.Bytes;
import io.nvmf.codec.Cqe;
import io.nvmf.codec.Crc32c;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.tcp.Capsule;
import io.nvmf.codec.tcp.DataPdu;
import io.nvmf.codec.tcp.InitializeConnection;
import io.nvmf.codec.tcp.PduException;
import io.nvmf.codec.tcp.PduFormat;
import io.nvmf.codec.tcp.PduHeader;
import io.nvmf.codec.tcp.PduType;
import io.nvmf.codec.tcp.R2T;
import io.nvmf.codec.tcp.TermReq;
import java.nio.ByteBuffer;

/**
 * Writes PDUs into a channel. Headers and small payloads are gathered in a buffer, of which the channel is given a slice when
 * a large payload follows, which is handed to the socket where it lies, and when all is sent. So what the socket does not take
 * holds little more memory than it has bytes. Nothing leaves before {@link #flush}. Owned by the channel's event loop.
 */
public final class PduWriter {
    /** Payloads up to this are cheaper to copy beside their header than to hand to the socket apart. */
    public static final int COPY_BYTES = 8192;

    private static final int CHUNK_BYTES = 32 * 1024;

    private final Channel channel;
    private final ByteBuffer header = Bytes.allocate(TermReq.BYTES + PduHeader.MAX_BYTES);
    private final Cqe cqe = new Cqe().wrap(header, Capsule.ENTRY_OFFSET);
    private final Crc32c crc = new Crc32c();
    private final Runnable flushTask = this::flush;

    private PduFormat format;
    private ByteBuf chunk;
    /** Up to where the channel has the chunk's bytes. */
    private int written;
    /** What the channel has and was not told to send. */
    private long unflushed;

    private boolean flushScheduled;

    public PduWriter(Channel channel, PduType.Direction direction) {
        this.channel = channel;
        this.format = PduFormat.initial(direction);
    }

    /** Takes effect with the next PDU. */
    public void format(PduFormat format) {
        this.format = format;
    }

    public PduFormat format() {
        return format;
    }

    public void icReq(int hpda, int digests, long maxR2tZeroBased) {
        InitializeConnection.encodeRequest(header, hpda, digests, maxR2tZeroBased);
        append(InitializeConnection.BYTES);
    }

    public void icResp(int cpda, int digests, long maxH2cDataBytes) {
        InitializeConnection.encodeResponse(header, cpda, digests, maxH2cDataBytes);
        append(InitializeConnection.BYTES);
    }

    /** Tells the peer why the connection ends. {@code refused} holds the start of the PDU that was refused. */
    public void termReq(PduException reason, ByteBuffer refused, int refusedBytes) {
        PduType type = format.direction() == PduType.Direction.H2C ? PduType.H2C_TERM_REQ : PduType.C2H_TERM_REQ;
        append(TermReq.encode(header, type, reason, refused, refusedBytes));
    }

    /** A command without in-capsule data. */
    public void capsuleCmd(Sqe sqe) {
        capsuleCmdHeader(sqe, 0);
    }

    /** Starts a command with in-capsule data: exactly {@code dataBytes} of {@link #data} must follow, then {@link #endData}. */
    public void capsuleCmdHeader(Sqe sqe, int dataBytes) {
        header.put(Capsule.ENTRY_OFFSET, sqe.buffer(), sqe.offset(), Sqe.BYTES);
        Capsule.encodeCommandHeader(header, format, dataBytes);
        appendWithDigest(PduType.CAPSULE_CMD, dataBytes > 0);
    }

    /** {@code result} is DW0 in its low and DW1 in its high half. */
    public void capsuleResp(long result, int sqhd, int commandId, int status) {
        Capsule.encodeResponseHeader(header, format);
        cqe.set(result, sqhd, commandId, status);
        appendWithDigest(PduType.CAPSULE_RESP, false);
    }

    public void r2t(int commandId, int transferTag, long offsetBytes, long lengthBytes) {
        R2T.encode(header, format, commandId, transferTag, offsetBytes, lengthBytes);
        appendWithDigest(PduType.R2T, false);
    }

    /** Starts an H2CData PDU: exactly {@code lengthBytes} of {@link #data} must follow, then {@link #endData}. */
    public void h2cDataHeader(int commandId, int transferTag, long offsetBytes, int lengthBytes, boolean last) {
        DataPdu.encodeH2C(
                header, format, commandId, transferTag, offsetBytes, lengthBytes, last ? PduHeader.LAST_PDU : 0);
        appendWithDigest(PduType.H2C_DATA, true);
    }

    /** Starts a C2HData PDU: exactly {@code lengthBytes} of {@link #data} must follow, then {@link #endData}. */
    public void c2hDataHeader(int commandId, long offsetBytes, int lengthBytes, int flags) {
        DataPdu.encodeC2H(header, format, commandId, offsetBytes, lengthBytes, flags);
        appendWithDigest(PduType.C2H_DATA, true);
    }

    /**
     * Where the payload of a C2HData PDU may be put before the PDU is begun, from {@link #c2hDataIndex} on. The buffer's
     * indexes must not be moved. Forgotten unless {@link #c2hDataInPlace} is called next.
     *
     * @param lengthBytes at most {@link #COPY_BYTES}
     */
    public ByteBuf roomForC2hData(int lengthBytes) {
        return room(format.dataOffset(PduType.C2H_DATA) + lengthBytes + Crc32c.BYTES);
    }

    /** Where in {@link #roomForC2hData} the payload begins. */
    public int c2hDataIndex() {
        return chunk.writerIndex() + format.dataOffset(PduType.C2H_DATA);
    }

    /** A C2HData PDU whose payload, all the data of a command, has been put into {@link #roomForC2hData}. */
    public void c2hDataInPlace(int commandId, int lengthBytes, int flags) {
        c2hDataHeader(commandId, 0, lengthBytes, flags);
        int index = chunk.writerIndex();
        chunk.writerIndex(index + lengthBytes);
        if (format.dataDigest()) {
            crc.update(chunk.internalNioBuffer(index, lengthBytes));
        }
        endData();
    }

    /**
     * Appends payload to the PDU that was started.
     *
     * @param data its indexes are neither used nor moved; a reference of its own keeps it alive until it is sent
     * @return whether the buffer is still in use when this returns; it is not when the bytes were copied (at most
     *     {@link #COPY_BYTES})
     */
    public boolean data(ByteBuf data, int index, int lengthBytes) {
        if (format.dataDigest()) {
            crc.update(data.internalNioBuffer(index, lengthBytes));
        }
        if (lengthBytes <= COPY_BYTES) {
            room(lengthBytes).writeBytes(data, index, lengthBytes);
            return false;
        }
        writeChunk();
        write(data.retainedSlice(index, lengthBytes));
        return true;
    }

    /**
     * Appends a copy of payload to the PDU that was started.
     *
     * @param data read at absolute {@code index}; not kept, its position and limit are neither used nor moved
     * @param lengthBytes at most {@link #COPY_BYTES}
     */
    public void copy(ByteBuffer data, int index, int lengthBytes) {
        ByteBuf target = room(lengthBytes);
        int at = target.writerIndex();
        ByteBuffer view = target.internalNioBuffer(at, lengthBytes);
        view.put(view.position(), data, index, lengthBytes);
        target.writerIndex(at + lengthBytes);
        if (format.dataDigest()) {
            crc.update(view);
        }
    }

    /**
     * Appends a buffer's readable bytes, where they lie, to the PDU that was started, and takes the buffer over: it is released
     * when the socket has taken the bytes, or the channel failed.
     */
    public void hand(ByteBuf data) {
        if (format.dataDigest()) {
            crc.update(data.internalNioBuffer(data.readerIndex(), data.readableBytes()));
        }
        writeChunk();
        write(data);
    }

    /** Ends the data of a PDU: appends its digest when there is one. */
    public void endData() {
        if (format.dataDigest()) {
            room(Crc32c.BYTES).writeIntLE(crc.value());
        }
    }

    /** Sends everything written so far. */
    public void flush() {
        flushScheduled = false;
        writeChunk();
        unflushed = 0;
        channel.flush();
        releaseSent();
    }

    /** Gives memory back whose bytes have all been sent; {@link #flush} does when the socket takes them at once. */
    public void releaseSent() {
        // What has been sent may have let something else go on, which was written meanwhile.
        if (chunk != null && chunk.writerIndex() == written && chunk.refCnt() == 1) {
            release();
        }
    }

    /** How many bytes were written since the last {@link #flush}. */
    public long unflushedBytes() {
        return unflushed + gatheredBytes();
    }

    /** How many bytes the socket has not taken, with what they cost. */
    public long waitingBytes() {
        ChannelOutboundBuffer outbound = channel.unsafe().outboundBuffer();
        return gatheredBytes() + (outbound == null ? 0 : outbound.totalPendingWriteBytes());
    }

    private int gatheredBytes() {
        return chunk == null ? 0 : chunk.writerIndex() - written;
    }

    /** Sends everything written so far when the current turn of the event loop ends. */
    public void flushLater() {
        if (!flushScheduled) {
            flushScheduled = true;
            channel.eventLoop().execute(flushTask);
        }
    }

    /** Drops what was gathered and not yet given to the channel. */
    public void release() {
        if (chunk != null) {
            chunk.release();
            chunk = null;
        }
    }

    private void appendWithDigest(PduType type, boolean hasData) {
        int bytes = type.headerBytes();
        if (format.headerDigest()) {
            header.putInt(bytes, crc.of(header.array(), 0, bytes));
            bytes += Crc32c.BYTES;
        }
        append(bytes);
        if (hasData) {
            room(format.dataOffset(type) - bytes).writeZero(format.dataOffset(type) - bytes);
            crc.reset();
        }
    }

    private void append(int headerBytes) {
        room(headerBytes).writeBytes(header.array(), 0, headerBytes);
    }

    private ByteBuf room(int bytes) {
        if (chunk != null && chunk.writableBytes() < bytes) {
            writeChunk();
            release();
        }
        if (chunk == null) {
            chunk = channel.alloc().directBuffer(CHUNK_BYTES, CHUNK_BYTES);
            written = 0;
        }
        return chunk;
    }

    private void writeChunk() {
        int gathered = gatheredBytes();
        if (gathered > 0) {
            ByteBuf slice = chunk.retainedSlice(written, gathered);
            written += gathered;
            write(slice);
        }
    }

    private void write(ByteBuf bytes) {
        unflushed += bytes.readableBytes();
        channel.write(bytes, channel.voidPromise());
    }
}
