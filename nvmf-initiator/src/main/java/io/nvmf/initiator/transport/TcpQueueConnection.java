package io.nvmf.initiator.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.IoEventLoop;
import io.netty.channel.unix.UnixChannel;
import io.netty.util.concurrent.ScheduledFuture;
import io.nvmf.codec.Cqe;
import io.nvmf.codec.Opcode;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.tcp.Capsule;
import io.nvmf.codec.tcp.DataPdu;
import io.nvmf.codec.tcp.FatalErrorStatus;
import io.nvmf.codec.tcp.PduException;
import io.nvmf.codec.tcp.PduHeader;
import io.nvmf.codec.tcp.PduType;
import io.nvmf.codec.tcp.R2T;
import io.nvmf.codec.tcp.TermReq;
import io.nvmf.transport.EventLoops;
import io.nvmf.transport.tcp.PduDecoder;
import io.nvmf.transport.tcp.PduListener;
import io.nvmf.transport.tcp.PduWriter;
import io.nvmf.transport.tcp.ReceiveBuffers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The host end of one NVMe/TCP connection (NVMe/TCP 1.0 s3): initializes it, sends commands, lets write data follow in the
 * capsule or when an R2T asks for it, puts read data where the command wants it. Whatever the controller sends is checked
 * against the command it names; a breach ends the connection with an H2CTermReq. Owned by the channel's event loop;
 * allocates nothing per command. Large payloads are sent from and received into the caller's memory itself.
 */
final class TcpQueueConnection extends ChannelInboundHandlerAdapter implements QueueConnection, PduListener {
    /** What a capsule of the admin queue and of any fabrics command may carry (NVMe/TCP 1.0 s3.3.2). */
    static final int ADMIN_IN_CAPSULE_DATA_BYTES = 8192;

    private static final Logger LOG = LoggerFactory.getLogger(TcpQueueConnection.class);

    /** One R2T at a time for each command. */
    private static final int MAX_R2T_ZERO_BASED = 0;

    /** How long the peer may take to close after an H2CTermReq; the specification allows up to 30 s. */
    private static final int TERM_REQ_LINGER_MS = 1000;

    private enum State {
        /** The TCP connection is being made. */
        CONNECTING,
        /** ICReq is sent, ICResp awaited. */
        INITIALIZING,
        READY,
        /** H2CTermReq is sent, the peer's close awaited; what it still sends is dropped. */
        TERMINATING,
        CLOSED
    }

    private final String name;
    private final int sqSizeZeroBased;
    private final TcpOptions options;
    private final QueueConnectionListener listener;
    /** Of a command that is no fabrics command; those always may carry {@link #ADMIN_IN_CAPSULE_DATA_BYTES}. */
    private final int inCapsuleDataBytes;

    private final CompletableFuture<QueueConnection> opened = new CompletableFuture<>();
    private final PduDecoder decoder = new PduDecoder(PduType.Direction.C2H, this);
    private final Cqe cqe = new Cqe().wrap(decoder.header(), Capsule.ENTRY_OFFSET);
    private final LentBufferPool lent = new LentBufferPool(this::onReturned);

    private State state = State.CONNECTING;
    private Channel channel;
    private PduWriter writer;
    /** Of ICResp, once ICReq is sent. */
    private ScheduledFuture<?> deadline;

    private int maxH2cDataBytes;

    /** The command whose C2HData PDU is arriving, or null. */
    private Command reading;

    private boolean readingSuccess;
    private Command r2tHead;
    private Command r2tTail;
    private boolean insideRead;
    private boolean flushWanted;

    TcpQueueConnection(QueueSetup setup, TcpOptions options, QueueConnectionListener listener) {
        this.name = setup.name();
        this.sqSizeZeroBased = setup.sqSizeZeroBased();
        this.options = options;
        this.listener = listener;
        this.inCapsuleDataBytes = setup.capsule().dataBytes();
    }

    static CompletableFuture<QueueConnection> open(
            TcpTransport transport, QueueSetup setup, IoEventLoop loop, QueueConnectionListener listener) {
        TcpQueueConnection connection = new TcpQueueConnection(setup, transport.options(), listener);
        loop.execute(() -> connection.connect(transport.loops(), loop));
        return connection.opened;
    }

    private void connect(EventLoops loops, IoEventLoop loop) {
        if (options.remote().isUnresolved()) {
            close(new ConnectionException("There is no host " + options.remote().getHostString()));
            return;
        }
        ChannelFuture connecting = loops.clientBootstrap()
                .clone(loop)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, options.connectTimeoutMs())
                .option(
                        ChannelOption.RECVBUF_ALLOCATOR,
                        new ReceiveBuffers(this::waitingMemory, loops.kind().fillsBuffersAtOnce()))
                .handler(this)
                .connect(options.remote());
        connecting.addListener(future -> {
            if (future.cause() instanceof ConnectTimeoutException) {
                late("accept the connection");
            } else if (!future.isSuccess()) {
                // Some kinds of event loop name the address once more.
                String reason = reasonOf(future.cause()).replace(": " + options.remote(), "");
                close(new ConnectionException("Cannot connect to " + name + ": " + reason));
            }
        });
    }

    private static String reasonOf(Throwable cause) {
        return cause.getMessage() != null ? cause.getMessage() : cause.toString();
    }

    private void late(String what) {
        close(new ConnectionException(name + " did not " + what + " within " + options.connectTimeoutMs() + " ms"));
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        if (state != State.CONNECTING) {
            ctx.close();
            return;
        }
        channel = ctx.channel();
        writer = new PduWriter(channel, PduType.Direction.H2C);
        lent.useAddresses(channel instanceof UnixChannel);
        state = State.INITIALIZING;
        writer.icReq(Agreement.HPDA, Agreement.digests(options), MAX_R2T_ZERO_BASED);
        writer.flush();
        deadline = channel.eventLoop()
                .schedule(() -> late("answer ICReq"), options.connectTimeoutMs(), TimeUnit.MILLISECONDS);
    }

    // ---- Sending

    @Override
    public int sqSizeZeroBased() {
        return sqSizeZeroBased;
    }

    @Override
    public int maxCommands() {
        return Command.MAX_SLOTS;
    }

    @Override
    public void send(Command command) {
        Sqe sqe = command.sqe();
        int length = command.lengthBytes();
        if (command.direction() == DataDirection.HOST_TO_CONTROLLER && length > 0 && length <= capsuleRoom(sqe)) {
            command.inCapsule = true;
            sqe.sgl1().set(SglDescriptor.IN_CAPSULE, 0, length);
            writer.capsuleCmdHeader(sqe, length);
            sendData(command, length);
        } else {
            sqe.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, length);
            writer.capsuleCmd(sqe);
        }
    }

    private int capsuleRoom(Sqe sqe) {
        return sqe.opcode() == Opcode.FABRICS ? ADMIN_IN_CAPSULE_DATA_BYTES : inCapsuleDataBytes;
    }

    private void sendData(Command command, int lengthBytes) {
        command.data().write(writer, lengthBytes, command, lent);
        writer.endData();
        command.transferred(lengthBytes);
    }

    /** The socket has let go of a piece of the command's buffers. */
    private void onReturned(Command command) {
        if (command.isAnswered() && !command.isLent()) {
            listener.onAnswered(command);
        }
    }

    private void flush() {
        if (state == State.READY) {
            writer.flush();
        }
    }

    @Override
    public void flushLater() {
        if (insideRead) {
            flushWanted = true;
        } else if (state == State.READY) {
            writer.flushLater();
        }
    }

    // ---- Receiving

    /** Room in the buffers of the command whose data is arriving, if much of it is still to come. */
    private ByteBuf waitingMemory() {
        if (reading == null || state != State.READY || decoder.dataLeft() < ReceiveBuffers.DIRECT_BYTES) {
            return null;
        }
        int lengthBytes = reading.data().contiguous(decoder.dataLeft());
        return lengthBytes < ReceiveBuffers.DIRECT_BYTES ? null : reading.data().lend(lengthBytes, reading, lent);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        insideRead = true;
        try {
            if (state == State.INITIALIZING || state == State.READY) {
                decoder.decode(in);
                answerR2ts();
            }
        } catch (PduException e) {
            terminate(e);
        } finally {
            in.release();
            insideRead = false;
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (flushWanted) {
            flushWanted = false;
            flush();
        }
    }

    @Override
    public void onHeader(PduType type, ByteBuffer header, int dataLengthBytes) throws PduException {
        reading = null;
        if (type == PduType.C2H_TERM_REQ) {
            onTermReq(header);
            return;
        }
        boolean expected = (state == State.INITIALIZING) == (type == PduType.IC_RESP);
        if (!expected) {
            throw PduException.sequence(type + (state == State.INITIALIZING ? " before ICResp" : " a second time"));
        }
        switch (type) {
            case IC_RESP -> onInitialized(header);
            case CAPSULE_RESP -> onResponse();
            case C2H_DATA -> onReadData(header, dataLengthBytes);
            case R2T -> onR2t(header);
            default -> throw PduException.invalidField(PduHeader.TYPE_OFFSET, "unexpected " + type);
        }
    }

    private void onTermReq(ByteBuffer header) {
        int status = TermReq.status(header);
        close(new ConnectionException(String.format(
                "%s ended the connection: %s (FES %d, FEI %Xh)",
                name, FatalErrorStatus.nameOf(status), status, TermReq.information(header))));
    }

    private void onInitialized(ByteBuffer header) throws PduException {
        Agreement agreement = Agreement.of(header, options);
        maxH2cDataBytes = agreement.maxH2cDataBytes();
        writer.format(agreement.sending());
        decoder.format(agreement.receiving());
        deadline.cancel(false);
        state = State.READY;
        opened.complete(this);
    }

    private void onResponse() throws PduException {
        Command command = listener.command(cqe.commandId());
        if (command == null || command.isAnswered()) {
            throw PduException.invalidField(
                    Capsule.ENTRY_OFFSET + Cqe.COMMAND_ID_OFFSET, "response to unknown CID " + cqe.commandId());
        }
        answer(command, cqe.status(), cqe.result());
    }

    private void onReadData(ByteBuffer header, int dataLengthBytes) throws PduException {
        int commandId = DataPdu.commandId(header);
        Command command = listener.command(commandId);
        if (command == null || command.isAnswered() || command.direction() != DataDirection.CONTROLLER_TO_HOST) {
            throw PduException.invalidField(
                    DataPdu.COMMAND_ID_OFFSET, "C2HData for CID " + commandId + ", which reads nothing");
        }
        if (DataPdu.lengthBytes(header) != dataLengthBytes) {
            throw PduException.invalidField(
                    DataPdu.DATA_LENGTH_OFFSET,
                    "C2HData with DATAL " + DataPdu.lengthBytes(header) + " and " + dataLengthBytes + " bytes of data");
        }
        if (command.lastSeen) {
            throw PduException.sequence("C2HData after the last one of CID " + commandId);
        }
        long offset = DataPdu.offsetBytes(header);
        if (offset != command.transferredBytes() || offset + dataLengthBytes > command.lengthBytes()) {
            throw outOfRange(
                    DataPdu.DATA_OFFSET_OFFSET,
                    "C2HData " + offset + "+" + dataLengthBytes + " where " + command.transferredBytes() + " of "
                            + command.lengthBytes() + " bytes have come");
        }
        boolean last = PduHeader.hasFlag(header, PduHeader.LAST_PDU);
        readingSuccess = PduHeader.hasFlag(header, PduHeader.SUCCESS);
        if (readingSuccess && !last) {
            throw PduException.invalidField(PduHeader.FLAGS_OFFSET, "C2HData with SUCCESS that is not the last");
        }
        command.lastSeen = last;
        reading = command;
    }

    private static PduException outOfRange(int offset, String message) {
        return new PduException(FatalErrorStatus.DATA_TRANSFER_OUT_OF_RANGE, offset, message);
    }

    @Override
    public void onData(ByteBuf in, int lengthBytes) {
        if (reading == null) {
            in.skipBytes(lengthBytes);
            return;
        }
        reading.data().read(in, lengthBytes);
        reading.transferred(lengthBytes);
    }

    @Override
    public void onEnd(boolean dataDigestValid) {
        Command command = reading;
        reading = null;
        if (command == null) {
            return;
        }
        if (!dataDigestValid) {
            command.digestFailed = true;
        }
        if (readingSuccess) {
            answer(command, Status.SUCCESS, 0);
        }
    }

    /** Ends a command, but for pieces of its data that still leave: no success without all of its data. */
    private void answer(Command command, int status, long result) {
        int outcome = status;
        if (Status.isSuccess(status)) {
            if (command.digestFailed) {
                LOG.warn("{}: data digest of CID {} does not match", name, command.commandId());
                outcome = Status.TRANSIENT_TRANSPORT_ERROR;
            } else if (command.transferredBytes() != command.lengthBytes()) {
                LOG.warn(
                        "{}: CID {} succeeded with {} of {} bytes transferred",
                        name,
                        command.commandId(),
                        command.transferredBytes(),
                        command.lengthBytes());
                outcome = Status.DATA_TRANSFER_ERROR;
            }
        }
        command.answer(outcome, result);
        if (!command.isLent()) {
            listener.onAnswered(command);
        }
    }

    // ---- R2T

    private void onR2t(ByteBuffer header) throws PduException {
        int commandId = R2T.commandId(header);
        Command command = listener.command(commandId);
        if (command == null
                || command.isAnswered()
                || command.inCapsule
                || command.direction() != DataDirection.HOST_TO_CONTROLLER) {
            throw PduException.invalidField(
                    R2T.COMMAND_ID_OFFSET, "R2T for CID " + commandId + ", which has nothing to send");
        }
        if (command.r2tBytes > 0) {
            throw new PduException(
                    FatalErrorStatus.DATA_TRANSFER_LIMIT_EXCEEDED, 0, "a second R2T for CID " + commandId);
        }
        long offset = R2T.offsetBytes(header);
        long length = R2T.lengthBytes(header);
        if (length == 0) {
            throw PduException.invalidField(R2T.LENGTH_OFFSET, "R2T without length");
        }
        if (offset != command.transferredBytes() || offset + length > command.lengthBytes()) {
            throw outOfRange(
                    R2T.OFFSET_OFFSET,
                    "R2T " + offset + "+" + length + " where " + command.transferredBytes() + " of "
                            + command.lengthBytes() + " bytes are sent");
        }
        command.r2tBytes = (int) length;
        command.r2tTag = R2T.transferTag(header);
        enqueueR2t(command);
    }

    private void enqueueR2t(Command command) {
        command.nextR2t = null;
        if (r2tHead == null) {
            r2tHead = command;
        } else {
            r2tTail.nextR2t = command;
        }
        r2tTail = command;
    }

    private void answerR2ts() {
        while (r2tHead != null) {
            Command command = r2tHead;
            r2tHead = command.nextR2t;
            command.nextR2t = null;
            if (command.r2tBytes > 0 && !command.isAnswered() && state == State.READY) {
                sendR2tData(command);
                flushWanted = true;
            }
        }
        r2tTail = null;
    }

    private void sendR2tData(Command command) {
        int left = command.r2tBytes;
        command.r2tBytes = 0;
        while (left > 0) {
            int length = Math.min(left, maxH2cDataBytes);
            left -= length;
            writer.h2cDataHeader(command.commandId(), command.r2tTag, command.transferredBytes(), length, left == 0);
            sendData(command, length);
        }
    }

    // ---- Ending

    /** Tells the peer what it did wrong and takes nothing more from it. */
    private void terminate(PduException breach) {
        LOG.warn("{}: {}", name, breach.getMessage());
        writer.termReq(breach, decoder.header(), decoder.headerReceived());
        writer.flush();
        ConnectionException reason = new ConnectionException(name + " broke the protocol: " + breach.getMessage());
        State before = state;
        state = State.TERMINATING;
        decoder.stop();
        channel.eventLoop().schedule((Runnable) channel::close, TERM_REQ_LINGER_MS, TimeUnit.MILLISECONDS);
        tell(before, reason);
    }

    /** After an H2CTermReq the peer closes, or the linger does: closing at once could take the TermReq with it. */
    @Override
    public void close(ConnectionException reason) {
        if (state == State.TERMINATING && channel.isActive()) {
            return;
        }
        State before = state;
        state = State.CLOSED;
        decoder.stop();
        if (channel != null) {
            channel.close();
        }
        if (before != State.CLOSED && before != State.TERMINATING) {
            tell(before, reason);
        }
    }

    private void tell(State before, ConnectionException reason) {
        if (deadline != null) {
            deadline.cancel(false);
        }
        if (before == State.READY) {
            listener.onLost(this, reason);
        } else {
            opened.completeExceptionally(reason);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        close(new ConnectionException(name + " closed the connection"));
        if (writer != null) {
            writer.release();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!(cause instanceof IOException)) {
            LOG.error("{}: connection ends by a fault of this program", name, cause);
        }
        close(new ConnectionException("The connection to " + name + " is lost: " + reasonOf(cause), cause));
    }

    @Override
    public String toString() {
        return name + " " + state;
    }
}
