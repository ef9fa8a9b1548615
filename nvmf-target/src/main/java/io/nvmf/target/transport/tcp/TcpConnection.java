package io.nvmf.target.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Status;
import io.nvmf.codec.tcp.Capsule;
import io.nvmf.codec.tcp.DataPdu;
import io.nvmf.codec.tcp.FatalErrorStatus;
import io.nvmf.codec.tcp.InitializeConnection;
import io.nvmf.codec.tcp.PduException;
import io.nvmf.codec.tcp.PduFormat;
import io.nvmf.codec.tcp.PduHeader;
import io.nvmf.codec.tcp.PduType;
import io.nvmf.codec.tcp.PduType.Direction;
import io.nvmf.codec.tcp.TermReq;
import io.nvmf.target.command.CommandTable;
import io.nvmf.target.controller.Controller;
import io.nvmf.target.controller.TransportTraits;
import io.nvmf.target.discovery.Listener;
import io.nvmf.target.queue.QueueTransport;
import io.nvmf.target.queue.Request;
import io.nvmf.target.queue.TargetLoop;
import io.nvmf.target.queue.TargetQueue;
import io.nvmf.target.transport.ConnectionGroup;
import io.nvmf.target.transport.HostConnection;
import io.nvmf.target.transport.PeerNames;
import io.nvmf.transport.MemoryBlock;
import io.nvmf.transport.tcp.PduDecoder;
import io.nvmf.transport.tcp.PduListener;
import io.nvmf.transport.tcp.PduWriter;
import io.nvmf.transport.tcp.ReceiveBuffers;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One TCP connection, which is one queue. Owned by its event loop. */
final class TcpConnection extends ChannelInboundHandlerAdapter implements PduListener, QueueTransport, HostConnection {
    private static final Logger LOG = LoggerFactory.getLogger(TcpConnection.class);

    /** Data of a read leaves in PDUs of about this size. */
    private static final int C2H_DATA_BYTES = 128 * 1024;

    private static final int MAX_DIGESTS = InitializeConnection.DIGEST_HEADER | InitializeConnection.DIGEST_DATA;

    private enum State {
        /** Nothing but ICReq may come. */
        AWAITING_IC_REQ,
        /** Commands and data flow. */
        OPEN,
        /** A TermReq was sent; what still comes is thrown away until the host closes. */
        TERMINATING,
        CLOSED
    }

    private final Channel channel;
    private final TargetLoop loop;
    private final TargetQueue queue;
    private final ConnectionGroup group;
    private final int maxH2cDataBytes;
    private final PduDecoder decoder = new PduDecoder(Direction.H2C, this);
    private final PduWriter writer;
    private final ProgressWatch watch;
    private final TransportTraits traits;
    private final String peer;
    private final Consumer<MemoryBlock> dataSent = this::dataSent;

    private State state = State.AWAITING_IC_REQ;
    private boolean reading;
    /** In what is being read. */
    private int commandsAtOnce;

    /** The PDU being received. */
    private PduType type;

    private Request request;
    private int dataLength;
    private int dataReceived;
    /** Of H2CData: the piece it belongs to, and where in the data of the command. */
    private int piece;

    private int dataOffset;

    /** MAXR2T, as a count, and no more than we want. */
    private int r2tsAtATime = 1;
    /** By slot, made at first use. */
    private R2tWindow[] windows = new R2tWindow[0];

    TcpConnection(Channel channel, TargetLoop loop, CommandTable commands, Listener listener, ConnectionGroup group) {
        this.channel = channel;
        this.loop = loop;
        this.group = group;
        this.queue = new TargetQueue(this, loop, commands, listener);
        this.maxH2cDataBytes = commands.limits().maxTransferBytes();
        this.traits = TransportTraits.tcp(commands.limits().inCapsuleDataBytes());
        this.writer = new PduWriter(channel, Direction.C2H);
        this.watch = new ProgressWatch(channel, loop.clock().getAsLong());
        this.peer = PeerNames.of((InetSocketAddress) channel.remoteAddress());
    }

    // ---- bytes come in

    /** The buffer of the write whose data is arriving, if all it wants is due without anything else between; else null. */
    ByteBuf waitingMemory() {
        int dueBytes = decoder.dataLeft();
        if (dueBytes < ReceiveBuffers.DIRECT_BYTES || type != PduType.H2C_DATA || state != State.OPEN) {
            return null;
        }
        ByteBuf buffer = request.data();
        int index = dataOffset + dataReceived;
        return index + dueBytes == buffer.capacity()
                ? buffer.setIndex(index, index).retain()
                : null;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        group.add(this);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf in = (ByteBuf) message;
        try {
            if (state == State.AWAITING_IC_REQ || state == State.OPEN) {
                reading = true;
                commandsAtOnce = 0;
                decoder.decode(in);
            }
        } catch (PduException e) {
            terminate(e);
        } finally {
            in.release();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        reading = false;
        watch.onRead(loop.clock().getAsLong());
        writer.flush();
    }

    /** A host that does not take its answers is not asked for more commands. */
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        channel.config().setAutoRead(channel.isWritable());
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (state != State.CLOSED) {
            LOG.debug("{}: connection closed by the host", peer);
            end();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof IOException) {
            close(cause.getMessage());
        } else {
            LOG.error("{}: closing the connection after an error of our own", peer, cause);
            close("internal error");
        }
    }

    // ---- PDUs come in

    @Override
    public void onHeader(PduType arrived, ByteBuffer header, int dataLengthBytes) throws PduException {
        type = arrived;
        dataLength = dataLengthBytes;
        dataReceived = 0;
        boolean expected = switch (state) {
            case AWAITING_IC_REQ -> arrived == PduType.IC_REQ || arrived == PduType.H2C_TERM_REQ;
            case OPEN -> arrived != PduType.IC_REQ;
            case TERMINATING, CLOSED -> false;
        };
        if (!expected) {
            throw PduException.sequence(arrived + " is out of sequence");
        }
        switch (arrived) {
            case IC_REQ -> initialize(header);
            case CAPSULE_CMD -> command(header);
            case H2C_DATA -> hostData(header);
            case H2C_TERM_REQ ->
                LOG.warn(
                        "{}: the host ends the connection: {} (information {})",
                        peer,
                        FatalErrorStatus.nameOf(TermReq.status(header)),
                        Integer.toHexString(TermReq.information(header)));
            default -> throw new IllegalStateException(arrived + " passed the check of its direction");
        }
    }

    private void initialize(ByteBuffer header) throws PduException {
        int hpda = InitializeConnection.alignmentZeroBased(header);
        if (InitializeConnection.formatVersion(header) != 0) {
            throw new PduException(
                    FatalErrorStatus.UNSUPPORTED_PARAMETER,
                    InitializeConnection.PFV_OFFSET,
                    "ICReq with PFV " + InitializeConnection.formatVersion(header));
        }
        if (hpda > PduFormat.MAX_ALIGNMENT_ZERO_BASED) {
            throw new PduException(
                    FatalErrorStatus.UNSUPPORTED_PARAMETER,
                    InitializeConnection.ALIGNMENT_OFFSET,
                    "ICReq with HPDA " + hpda);
        }
        int digests = InitializeConnection.digests(header) & MAX_DIGESTS;
        boolean headerDigest = (digests & InitializeConnection.DIGEST_HEADER) != 0;
        boolean dataDigest = (digests & InitializeConnection.DIGEST_DATA) != 0;
        r2tsAtATime = (int) Math.min(InitializeConnection.maxR2tZeroBased(header) + 1, R2tWindow.MOST_AT_A_TIME);
        writer.icResp(0, digests, maxH2cDataBytes);
        writer.format(new PduFormat(Direction.C2H, headerDigest, dataDigest, 4 * (hpda + 1)));
        decoder.format(new PduFormat(Direction.H2C, headerDigest, dataDigest, 4));
        state = State.OPEN;
    }

    private void command(ByteBuffer header) throws PduException {
        // Commands that come together are outstanding together for the host, though each may be done before the next.
        request = ++commandsAtOnce > queue.entries() ? null : queue.acquire();
        if (request == null) {
            throw PduException.sequence("more commands outstanding than the queue has entries");
        }
        request.entry(header, Capsule.ENTRY_OFFSET);
        if (dataLength > queue.maxCapsuleDataBytes(request.sqe())) {
            throw PduException.invalidField(
                    PduHeader.PLEN_OFFSET, "a capsule with " + dataLength + " bytes of data is too long");
        }
        queue.capsuleReceived(request, dataLength);
    }

    private void hostData(ByteBuffer header) throws PduException {
        int tag = DataPdu.transferTag(header);
        request = queue.request(R2tWindow.slot(tag));
        piece = R2tWindow.piece(tag);
        if (request == null || !request.awaitsData() || !window(request).isOwed(piece)) {
            throw PduException.invalidField(DataPdu.TRANSFER_TAG_OFFSET, "H2CData for transfer tag " + tag);
        }
        if (DataPdu.commandId(header) != request.sqe().commandId()) {
            throw PduException.invalidField(
                    DataPdu.COMMAND_ID_OFFSET, "H2CData for command " + DataPdu.commandId(header));
        }
        if (DataPdu.lengthBytes(header) != dataLength) {
            throw PduException.invalidField(
                    DataPdu.DATA_LENGTH_OFFSET, "H2CData with DATAL " + DataPdu.lengthBytes(header));
        }
        if (dataLength > maxH2cDataBytes) {
            throw new PduException(
                    FatalErrorStatus.DATA_TRANSFER_LIMIT_EXCEEDED, 0, "H2CData of more than MAXH2CDATA bytes");
        }
        R2tWindow window = window(request);
        dataOffset = window.nextOffset(piece);
        int owedBytes = window.owedBytes(piece);
        if (DataPdu.offsetBytes(header) != dataOffset || dataLength > owedBytes) {
            throw new PduException(
                    FatalErrorStatus.DATA_TRANSFER_OUT_OF_RANGE,
                    0,
                    "H2CData of " + dataLength + " bytes at " + DataPdu.offsetBytes(header) + ", expected at "
                            + dataOffset + " up to " + owedBytes);
        }
        if (PduHeader.hasFlag(header, PduHeader.LAST_PDU) && dataLength < owedBytes) {
            throw PduException.invalidField(PduHeader.FLAGS_OFFSET, "H2CData is said to be the last, and more is owed");
        }
    }

    @Override
    public void onData(ByteBuf in, int lengthBytes) {
        switch (type) {
            case CAPSULE_CMD -> capsuleData(in, lengthBytes);
            case H2C_DATA -> fetchedData(in, lengthBytes);
            default -> in.skipBytes(lengthBytes);
        }
        dataReceived += lengthBytes;
    }

    private void fetchedData(ByteBuf in, int lengthBytes) {
        ByteBuf buffer = request.data();
        if (in == buffer) {
            in.skipBytes(lengthBytes); // received where it belongs
        } else {
            in.readBytes(buffer, dataOffset + dataReceived, lengthBytes);
        }
    }

    /** A device in memory takes data of a capsule from where it came in. */
    @Override
    public void onAllData(ByteBuf in, int lengthBytes, boolean digestValid) {
        if (type == PduType.CAPSULE_CMD && digestValid && queue.writeInPlace(request, in, in.readerIndex())) {
            in.skipBytes(lengthBytes);
        } else {
            onData(in, lengthBytes);
        }
    }

    private void capsuleData(ByteBuf in, int lengthBytes) {
        ByteBuf buffer = queue.capsuleBuffer(request);
        int skip =
                buffer == null ? lengthBytes : Math.min(lengthBytes, Math.max(0, request.capsuleSkip() - dataReceived));
        in.skipBytes(skip);
        if (skip < lengthBytes) {
            in.readBytes(buffer, dataReceived + skip - request.capsuleSkip(), lengthBytes - skip);
        }
    }

    @Override
    public void onEnd(boolean dataDigestValid) {
        switch (type) {
            case CAPSULE_CMD -> queue.capsuleComplete(request, dataDigestValid);
            case H2C_DATA -> {
                request.fetched(dataLength, dataDigestValid);
                boolean pieceComplete = window(request).received(piece, dataLength);
                if (request.fetchedBytes() == request.dataLength()) {
                    queue.dataFetched(request, request.fetchedValid());
                } else if (pieceComplete) {
                    askForNext(request);
                }
            }
            case H2C_TERM_REQ -> close("ended by the host");
            default -> {
                // ICReq has been answered.
            }
        }
        // Answers need not wait for those to all that has been read.
        // Here no command is under way, should the flush end the connection.
        if (isMuch(writer.unflushedBytes())) {
            writer.flush();
        }
    }

    // ---- what the queue asks for

    @Override
    public TransportTraits traits() {
        return traits;
    }

    @Override
    public String peer() {
        return peer;
    }

    @Override
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) channel.localAddress();
    }

    @Override
    public int describeData(Request described, SglDescriptor sgl, int capsuleDataBytes) {
        switch (sgl.identifier()) {
            case SglDescriptor.TRANSPORT_DATA_BLOCK -> {
                return queue.checkLength(described, sgl.lengthBytes());
            }
            case SglDescriptor.IN_CAPSULE -> {
                if (!described.receivesData()) {
                    return Status.INVALID_FIELD | Status.DNR;
                }
                long skip = sgl.address();
                if (skip < 0 || skip > capsuleDataBytes || sgl.lengthBytes() > capsuleDataBytes - skip) {
                    return Status.SGL_OFFSET_INVALID | Status.DNR;
                }
                described.dataInCapsule((int) skip);
                return queue.checkLength(described, sgl.lengthBytes());
            }
            default -> {
                return Status.SGL_TYPE_INVALID | Status.DNR;
            }
        }
    }

    @Override
    public ByteBuf takeCapsuleBuffer(Request described) {
        return loop.buffers().capsuleBuffers().take();
    }

    @Override
    public void giveBackCapsuleBuffer(ByteBuf buffer) {
        buffer.release();
    }

    @Override
    public void fetchData(Request waiting) {
        int slot = waiting.slot();
        if (slot >= windows.length) {
            windows = Arrays.copyOf(windows, Math.max(slot + 1, 2 * windows.length));
        }
        if (windows[slot] == null) {
            windows[slot] = new R2tWindow();
        }
        windows[slot].begin(waiting.dataLength(), r2tsAtATime);
        for (int i = 0; i < r2tsAtATime; i++) {
            askForNext(waiting);
        }
    }

    private R2tWindow window(Request waiting) {
        return windows[waiting.slot()];
    }

    /** Asks for the next piece of a write's data, if there is one left. */
    private void askForNext(Request waiting) {
        R2tWindow window = window(waiting);
        if (window.hasNext()) {
            int next = window.next();
            int tag = R2tWindow.transferTag(waiting.slot(), next);
            queue.counters().onFetchRequest();
            writer.r2t(waiting.sqe().commandId(), tag, window.offset(next), window.length(next));
            flushSoon();
        }
    }

    @Override
    public boolean readInPlace(Request wanted) {
        // A capsule with data that nobody asked for has come over some time, since whose begin much may have happened.
        if (dataLength > 0 || !isCopied(wanted.dataLength())) {
            return false;
        }
        ByteBuf room = writer.roomForC2hData(wanted.dataLength());
        return wanted.readNow(room, writer.c2hDataIndex());
    }

    /**
     * Whether the data of an answer is copied beside its header. What a host does not take stays in memory of the pool, which
     * has a bound.
     */
    private boolean isCopied(int lengthBytes) {
        return lengthBytes <= PduWriter.COPY_BYTES && !isMuch(writer.waitingBytes());
    }

    private boolean isMuch(long bytes) {
        return UntakenAnswers.isMuch(bytes, loop.buffers().slab().capacityBytes(), group.size());
    }

    @Override
    public void complete(Request done, int sqhd) {
        boolean success = done.sendsData() && !queue.usesFlowControl() && done.result() == 0;
        if (done.isDataInPlace()) {
            int flags = PduHeader.LAST_PDU | (success ? PduHeader.SUCCESS : 0);
            writer.c2hDataInPlace(done.sqe().commandId(), done.dataLength(), flags);
            queue.counters().onSendRequest();
        } else if (done.sendsData()) {
            sendData(done, success);
        }
        if (!success) {
            writer.capsuleResp(done.result(), sqhd, done.sqe().commandId(), done.status());
        }
        flushSoon();
    }

    private void sendData(Request done, boolean success) {
        MemoryBlock buffer = done.takeBuffer();
        int total = done.dataLength();
        boolean copied = isCopied(total);
        int offset = 0;
        // A short rest goes along, so that the last piece of a large transfer is never small enough to be copied.
        while (total - offset > C2H_DATA_BYTES + PduWriter.COPY_BYTES) {
            writer.c2hDataHeader(done.sqe().commandId(), offset, C2H_DATA_BYTES, 0);
            writer.data(buffer, offset, C2H_DATA_BYTES);
            writer.endData();
            queue.counters().onSendRequest();
            offset += C2H_DATA_BYTES;
        }
        int length = total - offset;
        int flags = PduHeader.LAST_PDU | (success ? PduHeader.SUCCESS : 0);
        writer.c2hDataHeader(done.sqe().commandId(), offset, length, flags);
        if (copied) {
            writer.data(buffer, offset, length);
            queue.releaseBuffer(buffer);
        } else {
            watch.onDataHanded();
            buffer.whenReleased(dataSent);
            writer.hand(buffer.setIndex(offset, total));
        }
        writer.endData();
        queue.counters().onSendRequest();
    }

    private void dataSent(MemoryBlock buffer) {
        watch.onDataSent();
        queue.onReleased(buffer);
    }

    /** Answers to what is being read leave together when it is all read; others at the end of the loop's turn. */
    private void flushSoon() {
        if (!reading) {
            writer.flushLater();
        }
    }

    // ---- the end

    @Override
    public void tick(long nowNanos) {
        writer.releaseSent();
        Controller controller = queue.controller();
        String problem = state == State.TERMINATING
                ? watch.terminating(nowNanos)
                : watch.problem(
                        nowNanos, controller == null, decoder.isInsidePdu(), queue.owesDataSinceNanos(nowNanos));
        if (problem != null) {
            if (state == State.OPEN || state == State.AWAITING_IC_REQ) {
                LOG.warn("{}: closing the connection: {}", peer, problem);
            }
            close(problem);
        } else if (watch.isReset(nowNanos)) {
            close("reset by the host");
        } else if (controller != null && queue.queueId() == 0) {
            controller.checkKeepAlive(nowNanos);
        }
    }

    /** The host broke the protocol: says so, and ends the queue at once; the connection ends when the host closes it. */
    private void terminate(PduException reason) {
        if (state == State.TERMINATING || state == State.CLOSED) {
            return;
        }
        decoder.stop();
        LOG.warn("{}: ending the connection: {} ({})", peer, reason.getMessage(), reason.status());
        writer.termReq(reason, decoder.header(), decoder.headerReceived());
        writer.flush();
        state = State.TERMINATING;
        watch.onTerminating(loop.clock().getAsLong());
        channel.config().setAutoRead(true);
        queue.closed();
    }

    @Override
    public void close(String reason) {
        if (state != State.CLOSED) {
            LOG.debug("{}: connection closed: {}", peer, reason);
            end();
            channel.close();
        }
    }

    private void end() {
        state = State.CLOSED;
        decoder.stop();
        group.remove(this);
        queue.closed();
        writer.release();
    }
}
