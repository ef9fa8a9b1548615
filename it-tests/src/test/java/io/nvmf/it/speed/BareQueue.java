package io.nvmf.it.speed;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Cqe;
import io.nvmf.codec.Crc32c;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.fabrics.ConnectCommand;
import io.nvmf.codec.fabrics.ConnectData;
import io.nvmf.codec.fabrics.ConnectResponse;
import io.nvmf.codec.fabrics.ControllerConfiguration;
import io.nvmf.codec.fabrics.ControllerStatus;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.fabrics.PropertyCommand;
import io.nvmf.codec.feature.FeatureId;
import io.nvmf.codec.feature.FeaturesCommand;
import io.nvmf.codec.feature.NumberOfQueues;
import io.nvmf.codec.identify.IdentifyCommand;
import io.nvmf.codec.tcp.Capsule;
import io.nvmf.codec.tcp.DataPdu;
import io.nvmf.codec.tcp.InitializeConnection;
import io.nvmf.codec.tcp.PduException;
import io.nvmf.codec.tcp.PduFormat;
import io.nvmf.codec.tcp.PduHeader;
import io.nvmf.codec.tcp.PduType;
import io.nvmf.codec.tcp.PduType.Direction;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.UUID;

/**
 * A queue of a host without an event loop: a blocking socket, one command at a time. What it sends has the digests that were
 * agreed on; those that it receives it passes over.
 */
final class BareQueue implements AutoCloseable {
    private static final UUID HOST_ID = new UUID(1, 1);
    private static final String HOST_NQN = "nqn.2014-08.org.nvmexpress:uuid:" + HOST_ID;

    private final SocketChannel socket;
    private final ByteBuffer header = Bytes.allocate(InitializeConnection.BYTES);
    private final ByteBuffer passedOver = Bytes.allocate(Crc32c.BYTES);
    private final Cqe cqe = new Cqe();
    private final Crc32c crc = new Crc32c();
    private final PduFormat format;
    private PduFormat received = PduFormat.initial(Direction.C2H);
    private final long maxH2cDataBytes;

    /** Connects, and agrees on both digests or none. */
    BareQueue(InetSocketAddress address, boolean digests) throws IOException {
        socket = SocketChannel.open(address);
        try {
            socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
            int wanted = digests ? InitializeConnection.DIGEST_HEADER | InitializeConnection.DIGEST_DATA : 0;
            InitializeConnection.encodeRequest(header, 0, wanted, 0);
            socket.write(header.clear());
            if (receive() != PduType.IC_RESP) {
                throw new IOException("no ICResp");
            }
            if (InitializeConnection.digests(header) != wanted) {
                throw new IOException("the target does not agree on " + (digests ? "digests" : "none"));
            }
            maxH2cDataBytes = InitializeConnection.maxH2cDataBytes(header);
            int alignmentBytes = (InitializeConnection.alignmentZeroBased(header) + 1) * 4;
            format = new PduFormat(Direction.H2C, digests, digests, alignmentBytes);
            received = new PduFormat(Direction.C2H, digests, digests, received.dataAlignmentBytes());
        } catch (Throwable e) {
            socket.close();
            throw e;
        }
    }

    SocketChannel socket() {
        return socket;
    }

    /** Of what is sent. */
    PduFormat format() {
        return format;
    }

    /** Of what comes. */
    PduFormat received() {
        return received;
    }

    /** MAXH2CDATA of the target. */
    long maxH2cDataBytes() {
        return maxH2cDataBytes;
    }

    /** Returns the controller's id. */
    int connect(String nqn, int queueId, int entries, int controllerId) throws IOException {
        Sqe sqe = Sqe.allocate();
        ConnectCommand.encode(sqe, queueId, entries - 1, ConnectCommand.DISABLE_SQ_FLOW_CONTROL, 0);
        ByteBuffer data = Bytes.allocate(ConnectData.BYTES);
        new ConnectData(HOST_ID, controllerId, nqn, HOST_NQN).encode(data, 0);
        sqe.sgl1().set(SglDescriptor.IN_CAPSULE, 0, ConnectData.BYTES);
        return ConnectResponse.controllerId(execute(sqe, data, null));
    }

    /** Of an admin queue: makes its controller ready, for one I/O queue. */
    void enable() throws IOException {
        Sqe sqe = Sqe.allocate();
        PropertyCommand.encodeSet(
                sqe, Property.CC, ControllerConfiguration.ENABLE | ControllerConfiguration.ENTRY_SIZES);
        execute(sqe, Bytes.allocate(0), null);
        long csts;
        do {
            PropertyCommand.encodeGet(sqe, Property.CSTS);
            csts = execute(sqe, Bytes.allocate(0), null);
        } while (!ControllerStatus.isReady(csts) && !ControllerStatus.isFatal(csts));
        FeaturesCommand.encodeSet(sqe, FeatureId.NUMBER_OF_QUEUES, NumberOfQueues.encode(1));
        execute(sqe, Bytes.allocate(0), null);
    }

    ByteBuffer identify(int cns, long nsid) throws IOException {
        Sqe sqe = IdentifyCommand.encode(Sqe.allocate(), cns, nsid, 0, 0);
        sqe.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, IdentifyCommand.DATA_BYTES);
        ByteBuffer data = Bytes.allocate(IdentifyCommand.DATA_BYTES);
        execute(sqe, Bytes.allocate(0), data);
        return data;
    }

    /** Sends a command, takes what it brings into {@code data} and returns dwords 0 and 1 of its completion. */
    private long execute(Sqe sqe, ByteBuffer inCapsule, ByteBuffer data) throws IOException {
        int dataBytes = inCapsule.remaining();
        ByteBuffer capsule = Bytes.allocate(capsuleBytes(dataBytes));
        Capsule.encodeCommandHeader(capsule, format, dataBytes);
        capsule.put(Capsule.ENTRY_OFFSET, sqe.buffer(), sqe.offset(), Sqe.BYTES);
        if (dataBytes > 0) {
            capsule.put(format.dataOffset(PduType.CAPSULE_CMD), inCapsule, inCapsule.position(), dataBytes);
        }
        digestHeader(capsule, 0);
        digestData(capsule, 0, dataBytes);
        socket.write(capsule.clear());
        while (receive() == PduType.C2H_DATA) {
            int offset = (int) DataPdu.offsetBytes(header);
            boolean isLast = PduHeader.hasFlag(header, PduHeader.SUCCESS);
            fill(data.limit(offset + received.dataLength(header, PduType.C2H_DATA))
                    .position(offset));
            passOver(received.dataDigestBytes());
            if (isLast) {
                return 0;
            }
        }
        return success(cqe.wrap(header, Capsule.ENTRY_OFFSET)).result();
    }

    /** Of a command capsule with so much data. */
    int capsuleBytes(int dataBytes) {
        return dataBytes == 0
                ? Capsule.COMMAND_BYTES + format.headerDigestBytes(PduType.CAPSULE_CMD)
                : format.dataOffset(PduType.CAPSULE_CMD) + dataBytes + format.dataDigestBytes();
    }

    /** Puts the digest behind the header of the command capsule that begins there, if digests were agreed on. */
    void digestHeader(ByteBuffer capsules, int start) {
        if (format.headerDigest()) {
            digest(capsules, start, start + Capsule.COMMAND_BYTES);
        }
    }

    /** Puts the digest behind the data of the command capsule that begins there, if it has any and digests were agreed on. */
    void digestData(ByteBuffer capsules, int start, int dataBytes) {
        if (format.dataDigest() && dataBytes > 0) {
            int data = start + format.dataOffset(PduType.CAPSULE_CMD);
            digest(capsules, data, data + dataBytes);
        }
    }

    /** Puts the digest of those bytes behind them; moves position and limit. */
    void digest(ByteBuffer bytes, int from, int to) {
        int digest = digestOf(bytes, from, to);
        bytes.clear().putInt(to, digest);
    }

    /** The digest of those bytes; moves position and limit. */
    int digestOf(ByteBuffer bytes, int from, int to) {
        crc.reset();
        crc.update(bytes.clear().limit(to).position(from));
        return crc.value();
    }

    /** @throws IOException when a command has failed */
    static Cqe success(Cqe cqe) throws IOException {
        if (cqe.status() != 0) {
            throw new IOException("a command ended with status 0x" + Integer.toHexString(cqe.status()));
        }
        return cqe;
    }

    /** Takes a header and says what PDU it begins. */
    private PduType receive() throws IOException {
        fill(header.clear().limit(PduHeader.BYTES));
        try {
            PduType type = received.check(header);
            fill(header.limit(type.headerBytes()));
            passOver(received.headerDigestBytes(type));
            return type;
        } catch (PduException e) {
            throw new IOException(e);
        }
    }

    private void passOver(int bytes) throws IOException {
        fill(passedOver.clear().limit(bytes));
    }

    private void fill(ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            if (socket.read(buffer) < 0) {
                throw new EOFException("the target has closed the connection");
            }
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
