package io.nvmf.target;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Cqe;
import io.nvmf.codec.Crc32c;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.fabrics.ConnectCommand;
import io.nvmf.codec.fabrics.ConnectData;
import io.nvmf.codec.fabrics.ControllerConfiguration;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.fabrics.PropertyCommand;
import io.nvmf.codec.tcp.Capsule;
import io.nvmf.codec.tcp.DataPdu;
import io.nvmf.codec.tcp.InitializeConnection;
import io.nvmf.codec.tcp.PduFormat;
import io.nvmf.codec.tcp.PduHeader;
import io.nvmf.codec.tcp.PduType;
import io.nvmf.codec.tcp.PduType.Direction;
import io.nvmf.codec.tcp.R2T;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.UUID;

/** A host that sends exactly what a test wants and shows exactly what comes back: one blocking socket, one queue. */
final class RawHost implements AutoCloseable {
    static final String HOST_NQN = "nqn.2014-08.org.nvmexpress:uuid:11111111-2222-3333-4444-555555555555";
    static final UUID HOST_ID = UUID.fromString("11111111-2222-3333-4444-555555555555");

    /** A PDU as it came. {@code digestValid}: its data matches its digest, or has none. */
    record Pdu(PduType type, ByteBuffer header, byte[] data, boolean digestValid) {
        boolean has(int flag) {
            return PduHeader.hasFlag(header, flag);
        }

        Cqe completion() {
            return new Cqe().wrap(header, Capsule.ENTRY_OFFSET);
        }
    }

    private final Socket socket = new Socket();
    private final DataInputStream in;
    private final OutputStream out;
    private final Crc32c crc = new Crc32c();
    private PduFormat sent = PduFormat.initial(Direction.H2C);
    private PduFormat received = PduFormat.initial(Direction.C2H);
    private int nextCommandId = 0x1230;
    private UUID hostId = HOST_ID;
    /** Bytes that may still be sent. */
    private long budgetBytes = Long.MAX_VALUE;

    /** As many bytes as were allowed are sent. */
    static final class CutOffException extends IOException {
        private static final long serialVersionUID = 1;
    }

    RawHost(InetSocketAddress address) throws IOException {
        socket.setSoTimeout(20_000);
        socket.setTcpNoDelay(true);
        socket.connect(address, 5_000);
        in = new DataInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    /** Connects as another host from now on. */
    RawHost as(UUID otherHostId) {
        hostId = otherHostId;
        return this;
    }

    private byte[] connectData(int controllerId, String subsystemNqn) {
        ByteBuffer data = Bytes.allocate(ConnectData.BYTES);
        String hostNqn = "nqn.2014-08.org.nvmexpress:uuid:" + hostId;
        new ConnectData(hostId, controllerId, subsystemNqn, hostNqn).encode(data, 0);
        return data.array();
    }

    // ---- bytes and PDUs

    /** Lets so many bytes more be sent: the send that wants to go beyond sends up to there and throws. */
    RawHost cutAfter(long bytes) {
        budgetBytes = bytes;
        return this;
    }

    void send(byte[] bytes, int from, int to) throws IOException {
        int allowed = (int) Math.min(to - from, budgetBytes);
        out.write(bytes, from, allowed);
        out.flush();
        budgetBytes -= allowed;
        if (allowed < to - from) {
            throw new CutOffException();
        }
    }

    /** Closes so that the other end sees a reset, and all that is on its way is lost. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    void send(byte[] bytes) throws IOException {
        send(bytes, 0, bytes.length);
    }

    /** How long a read waits for bytes before it fails. */
    void timeoutMs(int timeoutMs) throws IOException {
        socket.setSoTimeout(timeoutMs);
    }

    /** Ends our half of the connection. */
    void shutdownOutput() throws IOException {
        socket.shutdownOutput();
    }

    /** The next PDU, or null when the target has closed. */
    Pdu read() throws IOException {
        byte[] bytes = new byte[PduHeader.MAX_BYTES];
        try {
            in.readFully(bytes, 0, PduHeader.BYTES);
        } catch (EOFException | SocketException e) {
            return null;
        }
        ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        PduType type = PduType.of(PduHeader.type(header));
        int headerLength = PduHeader.headerLength(header);
        in.readFully(bytes, PduHeader.BYTES, headerLength - PduHeader.BYTES);
        int at = headerLength;
        if (received.headerDigestBytes(type) > 0) {
            int digest = Integer.reverseBytes(in.readInt());
            if (digest != crc.of(bytes, 0, headerLength)) {
                throw new IOException("wrong header digest in a " + type);
            }
            at += Crc32c.BYTES;
        }
        int length = received.dataLength(header, type);
        byte[] data = new byte[length];
        if (length == 0) {
            return new Pdu(type, header, data, true);
        }
        if (type.data() != PduType.Data.HEADER_COPY) {
            in.skipNBytes(PduHeader.dataOffset(header) - at);
        }
        in.readFully(data);
        boolean valid = true;
        if (PduHeader.hasFlag(header, PduHeader.DATA_DIGEST)) {
            valid = Integer.reverseBytes(in.readInt()) == crc.of(data, 0, length);
        }
        return new Pdu(type, header, data, valid);
    }

    static byte[] icReq(int hpda, int digests) {
        return icReq(hpda, digests, 0);
    }

    static byte[] icReq(int hpda, int digests, long maxR2tZeroBased) {
        ByteBuffer header = Bytes.allocate(InitializeConnection.BYTES);
        InitializeConnection.encodeRequest(header, hpda, digests, maxR2tZeroBased);
        return header.array();
    }

    /** ICReq and ICResp; both sides use the digests from now on. */
    Pdu initialize(int hpda, int digests) throws IOException {
        return initialize(hpda, digests, 0);
    }

    Pdu initialize(int hpda, int digests, long maxR2tZeroBased) throws IOException {
        send(icReq(hpda, digests, maxR2tZeroBased));
        Pdu response = read();
        boolean headerDigest = (digests & InitializeConnection.DIGEST_HEADER) != 0;
        boolean dataDigest = (digests & InitializeConnection.DIGEST_DATA) != 0;
        sent = new PduFormat(Direction.H2C, headerDigest, dataDigest, 4);
        received = new PduFormat(Direction.C2H, headerDigest, dataDigest, 4 * (hpda + 1));
        return response;
    }

    /** A CapsuleCmd as bytes, digests and all. */
    byte[] capsule(Sqe sqe, byte[] data) {
        ByteBuffer header = Bytes.allocate(Capsule.COMMAND_BYTES);
        header.put(Capsule.ENTRY_OFFSET, sqe.buffer(), sqe.offset(), Sqe.BYTES);
        Capsule.encodeCommandHeader(header, sent, data.length);
        return pdu(header, data);
    }

    byte[] hostData(int commandId, int transferTag, long offset, byte[] data, boolean last) {
        ByteBuffer header = Bytes.allocate(DataPdu.BYTES);
        DataPdu.encodeH2C(header, sent, commandId, transferTag, offset, data.length, last ? PduHeader.LAST_PDU : 0);
        return pdu(header, data);
    }

    private byte[] pdu(ByteBuffer header, byte[] data) {
        int headerLength = header.capacity();
        ByteBuffer pdu = Bytes.allocate((int) PduHeader.pduLength(header));
        pdu.put(0, header, 0, headerLength);
        if (sent.headerDigest()) {
            pdu.putInt(headerLength, crc.of(header.array(), 0, headerLength));
        }
        if (data.length > 0) {
            int at = PduHeader.dataOffset(header);
            pdu.put(at, data);
            if (sent.dataDigest()) {
                pdu.putInt(at + data.length, crc.of(data, 0, data.length));
            }
        }
        return pdu.array();
    }

    // ---- commands

    /** Gives the command an id and sends it without data in the capsule. */
    int submit(Sqe sqe) throws IOException {
        return submit(sqe, new byte[0]);
    }

    int submit(Sqe sqe, byte[] capsuleData) throws IOException {
        int commandId = nextCommandId++;
        sqe.commandId(commandId);
        send(capsule(sqe, capsuleData));
        return commandId;
    }

    /** Sends a command and reads the one PDU that answers it, a completion. */
    Cqe execute(Sqe sqe) throws IOException {
        return execute(sqe, new byte[0]);
    }

    Cqe execute(Sqe sqe, byte[] capsuleData) throws IOException {
        int commandId = submit(sqe, capsuleData);
        return completionOf(commandId);
    }

    Cqe completionOf(int commandId) throws IOException {
        Pdu pdu = read();
        if (pdu == null || pdu.type() != PduType.CAPSULE_RESP) {
            throw new IOException("expected a completion, got " + (pdu == null ? "the end" : pdu.type()));
        }
        Cqe cqe = pdu.completion();
        if (cqe.commandId() != commandId) {
            throw new IOException("completion of " + cqe.commandId() + ", expected " + commandId);
        }
        return cqe;
    }

    /** Sends a command whose answer is data and a successful completion; returns the data. */
    byte[] executeRead(Sqe sqe, int lengthBytes) throws IOException {
        sqe.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, lengthBytes);
        int commandId = submit(sqe);
        byte[] all = new byte[lengthBytes];
        int got = 0;
        while (got < lengthBytes) {
            Pdu pdu = read();
            if (pdu.type() != PduType.C2H_DATA) {
                throw new IOException("expected data, got " + pdu.type() + " with status "
                        + Integer.toHexString(pdu.completion().status()));
            }
            if (DataPdu.offsetBytes(pdu.header()) != got || !pdu.digestValid()) {
                throw new IOException("data out of order or damaged");
            }
            System.arraycopy(pdu.data(), 0, all, got, pdu.data().length);
            got += pdu.data().length;
            if (pdu.has(PduHeader.SUCCESS)) {
                return all;
            }
        }
        int status = completionOf(commandId).status();
        if (status != 0) {
            throw new IOException("status " + Integer.toHexString(status));
        }
        return all;
    }

    /** Sends a write whose data is fetched by R2T; answers one R2T with PDUs of at most {@code pieceBytes}. */
    Cqe executeWrite(Sqe sqe, byte[] data, int pieceBytes) throws IOException {
        sqe.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, data.length);
        int commandId = submit(sqe);
        Pdu r2t = read();
        if (r2t.type() != PduType.R2T) {
            throw new IOException("expected R2T, got " + r2t.type());
        }
        int tag = R2T.transferTag(r2t.header());
        for (int at = 0; at < data.length; at += pieceBytes) {
            int end = Math.min(data.length, at + pieceBytes);
            send(hostData(commandId, tag, at, Arrays.copyOfRange(data, at, end), end == data.length));
        }
        return completionOf(commandId);
    }

    static Sqe connectCommand(int queueId, int sqSizeZeroBased, long keepAliveTimeoutMs) {
        Sqe sqe = Sqe.allocate();
        ConnectCommand.encode(sqe, queueId, sqSizeZeroBased, 0, keepAliveTimeoutMs);
        sqe.sgl1().set(SglDescriptor.IN_CAPSULE, 0, ConnectData.BYTES);
        return sqe;
    }

    static byte[] connectData(int controllerId, String subsystemNqn, String hostNqn) {
        ByteBuffer data = Bytes.allocate(ConnectData.BYTES);
        new ConnectData(HOST_ID, controllerId, subsystemNqn, hostNqn).encode(data, 0);
        return data.array();
    }

    /** ICReq and a successful admin Connect; returns CNTLID. */
    int connectAdmin(String subsystemNqn, long keepAliveTimeoutMs) throws IOException {
        initialize(0, 0);
        Cqe cqe = execute(connectCommand(0, 31, keepAliveTimeoutMs), connectData(0xFFFF, subsystemNqn));
        if (cqe.status() != 0) {
            throw new IOException("Connect: status " + Integer.toHexString(cqe.status()));
        }
        return (int) cqe.dw0() & 0xFFFF;
    }

    void connectIo(int controllerId, int queueId, int sqSizeZeroBased, String subsystemNqn) throws IOException {
        Cqe cqe = execute(connectCommand(queueId, sqSizeZeroBased, 0), connectData(controllerId, subsystemNqn));
        if (cqe.status() != 0) {
            throw new IOException("Connect: status " + Integer.toHexString(cqe.status()));
        }
    }

    Cqe setProperty(Property property, long value) throws IOException {
        Sqe sqe = Sqe.allocate();
        PropertyCommand.encodeSet(sqe, property, value);
        return execute(sqe);
    }

    long getProperty(Property property) throws IOException {
        Sqe sqe = Sqe.allocate();
        PropertyCommand.encodeGet(sqe, property);
        return execute(sqe).result();
    }

    void enable() throws IOException {
        setProperty(Property.CC, ControllerConfiguration.ENABLE | ControllerConfiguration.ENTRY_SIZES);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
