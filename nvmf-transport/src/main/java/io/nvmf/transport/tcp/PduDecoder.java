package io.nvmf.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.nvmf.codec.Bytes;
import io.nvmf.codec.Crc32c;
import io.nvmf.codec.tcp.FatalErrorStatus;
import io.nvmf.codec.tcp.PduException;
import io.nvmf.codec.tcp.PduFormat;
import io.nvmf.codec.tcp.PduHeader;
import io.nvmf.codec.tcp.PduType;
import java.nio.ByteBuffer;

/**
 * Cuts the byte stream of one connection into PDUs, however it was segmented. Headers are gathered in a buffer of fixed
 * size and checked before anything in them is used; data is handed on as it comes, so no length from the wire ever
 * becomes an allocation. Owned by the connection's event loop; allocates nothing.
 */
public final class PduDecoder {
    private enum State {
        /** The eight bytes every PDU starts with. */
        COMMON_HEADER,
        /** The rest of the header, and its digest. */
        HEADER,
        /** Padding between header and data. */
        PADDING,
        DATA,
        DATA_DIGEST
    }

    private final PduListener listener;
    private final ByteBuffer header = Bytes.allocate(PduHeader.MAX_BYTES + Crc32c.BYTES);
    private final Crc32c crc = new Crc32c();

    private PduFormat format;
    private State state = State.COMMON_HEADER;
    private PduType type;
    private int headerReceived;
    private int paddingLeft;
    private int dataLength;
    private int dataLeft;
    private boolean digestWanted;
    private int digestReceived;
    private int digest;
    private boolean stopped;

    public PduDecoder(PduType.Direction direction, PduListener listener) {
        this.format = PduFormat.initial(direction);
        this.listener = listener;
    }

    /** Takes effect with the next PDU. */
    public void format(PduFormat format) {
        this.format = format;
    }

    /** The start of the PDU being received, for a TermReq; {@link #headerReceived()} bytes of it are valid. */
    public ByteBuffer header() {
        return header;
    }

    /** How many bytes of the current PDU's header (without its digest) have arrived. */
    public int headerReceived() {
        return Math.min(headerReceived, type == null ? PduHeader.BYTES : type.headerBytes());
    }

    /** Whether the stream stands inside a PDU: the peer owes us the rest. */
    public boolean isInsidePdu() {
        return state != State.COMMON_HEADER || headerReceived > 0;
    }

    /** The connection has ended: whatever bytes are left, no further PDU is cut from them. */
    public void stop() {
        stopped = true;
    }

    /** How many bytes of data are still to come before anything else does; 0 unless the stream stands inside data. */
    public int dataLeft() {
        return state == State.DATA ? dataLeft : 0;
    }

    /** Consumes all readable bytes, until {@link #stop}. After an exception the decoder must not be used again. */
    public void decode(ByteBuf in) throws PduException {
        while (in.isReadable() && !stopped) {
            switch (state) {
                case COMMON_HEADER -> commonHeader(in);
                case HEADER -> header(in);
                case PADDING -> padding(in);
                case DATA -> data(in);
                case DATA_DIGEST -> dataDigest(in);
            }
        }
    }

    private void commonHeader(ByteBuf in) throws PduException {
        if (headerReceived == 0) {
            type = null;
        }
        if (gather(in, PduHeader.BYTES)) {
            type = format.check(header);
            state = State.HEADER;
        }
    }

    private void header(ByteBuf in) throws PduException {
        int digestBytes = format.headerDigestBytes(type);
        if (!gather(in, type.headerBytes() + digestBytes)) {
            return;
        }
        if (digestBytes > 0) {
            checkHeaderDigest();
        }
        dataLength = format.dataLength(header, type);
        dataLeft = dataLength;
        paddingLeft = dataLeft == 0 || type.data() == PduType.Data.HEADER_COPY
                ? 0
                : PduHeader.dataOffset(header) - type.headerBytes() - digestBytes;
        listener.onHeader(type, header, dataLeft);
        if (dataLeft == 0) {
            end(true);
        } else {
            crc.reset();
            digestReceived = 0;
            digestWanted = format.dataDigest() && type.isDigested();
            state = paddingLeft > 0 ? State.PADDING : State.DATA;
        }
    }

    private void checkHeaderDigest() throws PduException {
        int received = header.getInt(type.headerBytes());
        if (crc.of(header.array(), 0, type.headerBytes()) != received) {
            throw new PduException(
                    FatalErrorStatus.HEADER_DIGEST_ERROR, received, "header digest of a " + type + " does not match");
        }
    }

    private void padding(ByteBuf in) {
        int n = Math.min(paddingLeft, in.readableBytes());
        in.skipBytes(n);
        paddingLeft -= n;
        if (paddingLeft == 0) {
            state = State.DATA;
        }
    }

    private void data(ByteBuf in) throws PduException {
        int n = Math.min(dataLeft, in.readableBytes());
        if (digestWanted) {
            crc.update(in.internalNioBuffer(in.readerIndex(), n));
        }
        int digestBytes = digestWanted ? Crc32c.BYTES : 0;
        if (n == dataLength && in.readableBytes() >= n + digestBytes) {
            listener.onAllData(in, n, !digestWanted || in.getIntLE(in.readerIndex() + n) == crc.value());
        } else {
            listener.onData(in, n);
        }
        dataLeft -= n;
        if (dataLeft == 0) {
            if (digestWanted) {
                state = State.DATA_DIGEST;
            } else {
                end(true);
            }
        }
    }

    private void dataDigest(ByteBuf in) throws PduException {
        while (digestReceived < Crc32c.BYTES && in.isReadable()) {
            digest = digest >>> 8 | in.readUnsignedByte() << 24;
            digestReceived++;
        }
        if (digestReceived == Crc32c.BYTES) {
            end(digest == crc.value());
        }
    }

    private void end(boolean dataDigestValid) throws PduException {
        state = State.COMMON_HEADER;
        headerReceived = 0;
        listener.onEnd(dataDigestValid);
    }

    /** Moves bytes into the header buffer until it holds {@code wanted}; says whether it does. */
    private boolean gather(ByteBuf in, int wanted) {
        int n = Math.min(wanted - headerReceived, in.readableBytes());
        in.readBytes(header.array(), headerReceived, n);
        headerReceived += n;
        return headerReceived == wanted;
    }
}
