package io.nvmf.initiator.raw;

import io.nvmf.codec.Cqe;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.log.TransportType;
import io.nvmf.codec.tcp.Capsule;
import io.nvmf.codec.tcp.DataPdu;
import io.nvmf.codec.tcp.InitializeConnection;
import io.nvmf.codec.tcp.PduException;
import io.nvmf.codec.tcp.PduFormat;
import io.nvmf.codec.tcp.PduHeader;
import io.nvmf.codec.tcp.PduType;
import io.nvmf.codec.tcp.PduType.Direction;
import io.nvmf.codec.tcp.R2T;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/** A {@link RawQueue} over NVMe/TCP. R2Ts are answered at once unless {@link #holdData} says that the caller does. */
public final class TcpQueue extends RawQueue {
    private final RawSocket socket;
    private final List<RawPdu> heldCapsules = new ArrayList<>();
    private final Deque<RawPdu> heldR2ts = new ArrayDeque<>();
    private PduFormat sent = PduFormat.initial(Direction.H2C);
    private PduFormat received = PduFormat.initial(Direction.C2H);
    private long maxR2t = 1;
    private int pieceBytes = 128 << 10;
    private boolean holdsCapsules;
    private boolean holdsData;
    private RawPdu termReq;

    public TcpQueue(RawSocket socket) {
        this.socket = socket;
    }

    @Override
    public TransportType transport() {
        return TransportType.TCP;
    }

    @Override
    public String name() {
        return socket.name();
    }

    @Override
    public Trace trace() {
        return socket.trace();
    }

    @Override
    public boolean isOpen() {
        return socket.state() == RawSocket.State.OPEN;
    }

    /** The connection below, for bytes that are not to be right. */
    public RawSocket socket() {
        return socket;
    }

    /** As PDUs to the target must be made now. */
    public PduFormat sent() {
        return sent;
    }

    /** As PDUs of the target must be now. */
    public PduFormat received() {
        return received;
    }

    /** The C2HTermReq that came, or null. */
    public RawPdu termReq() {
        return termReq;
    }

    /**
     * ICReq and ICResp; both ends keep to them from now on.
     *
     * @return the ICResp; null when there was none, or something else came
     */
    public RawPdu initialize(int hpda, int digests, long maxR2tZeroBased, long timeoutMs) throws IOException {
        socket.send(PduBuilder.icReq(hpda, digests, maxR2tZeroBased));
        RawPdu response = socket.receive(timeoutMs);
        if (response == null || !response.is(PduType.IC_RESP)) {
            return null;
        }
        ByteBuffer header = response.header();
        int agreed = InitializeConnection.digests(header);
        boolean headerDigest = (agreed & InitializeConnection.DIGEST_HEADER) != 0;
        boolean dataDigest = (agreed & InitializeConnection.DIGEST_DATA) != 0;
        int cpda = Math.min(InitializeConnection.alignmentZeroBased(header), PduFormat.MAX_ALIGNMENT_ZERO_BASED);
        sent = new PduFormat(Direction.H2C, headerDigest, dataDigest, 4 * (cpda + 1));
        received = new PduFormat(Direction.C2H, headerDigest, dataDigest, 4 * (hpda + 1));
        long most = InitializeConnection.maxH2cDataBytes(header);
        pieceBytes = most == 0 ? pieceBytes : (int) Math.min(most, pieceBytes);
        maxR2t = maxR2tZeroBased + 1;
        return response;
    }

    /** How much an H2CData PDU carries at most, from now on. */
    public void pieceBytes(int pieceBytes) {
        this.pieceBytes = pieceBytes;
    }

    // ---- commands

    @Override
    protected void transmit(Outstanding command) throws IOException {
        Payload payload = command.payload;
        SglDescriptor sgl = command.sqe.sgl1();
        if (payload.inCapsule()) {
            sgl.set(SglDescriptor.IN_CAPSULE, 0, payload.out().length);
        } else {
            sgl.set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, Math.max(payload.out().length, payload.inBytes()));
        }
        payload.sgl().accept(sgl);
        byte[] data = payload.inCapsule() ? payload.out() : new byte[0];
        RawPdu capsule = PduBuilder.capsule(sent, command.sqe, data).build();
        if (holdsCapsules) {
            heldCapsules.add(capsule);
        } else {
            socket.send(capsule);
        }
    }

    @Override
    public void holdCapsules(boolean hold) throws IOException {
        holdsCapsules = hold;
        if (!hold) {
            socket.send(heldCapsules);
            heldCapsules.clear();
        }
    }

    /** Whether R2Ts wait for {@link #nextR2t} instead of being answered. */
    public void holdData(boolean hold) {
        holdsData = hold;
    }

    /** The next R2T that was held, or comes in time; null when there is none. */
    public RawPdu nextR2t(long timeoutMs) throws IOException {
        while (heldR2ts.isEmpty()) {
            if (!pump(timeoutMs)) {
                return null;
            }
        }
        return heldR2ts.poll();
    }

    /** Sends what an R2T asks for, in as many PDUs as it takes. */
    public void answer(RawPdu r2t, byte[] data) throws IOException {
        ByteBuffer header = r2t.header();
        long from = R2T.offsetBytes(header);
        long end = Math.min(data.length, from + R2T.lengthBytes(header));
        for (long at = from; at < end; at += pieceBytes) {
            long to = Math.min(end, at + pieceBytes);
            socket.send(PduBuilder.h2cData(
                    sent,
                    R2T.commandId(header),
                    R2T.transferTag(header),
                    at,
                    Arrays.copyOfRange(data, (int) at, (int) to),
                    to == end));
        }
    }

    // ---- what comes

    @Override
    public boolean pump(long timeoutMs) throws IOException {
        RawPdu pdu = socket.receive(timeoutMs);
        if (pdu == null) {
            return false;
        }
        PduType type = checked(pdu);
        if (type == null) {
            return true;
        }
        switch (type) {
            case CAPSULE_RESP -> takeCompletion(pdu);
            case C2H_DATA -> takeData(pdu);
            case R2T -> takeR2t(pdu);
            case C2H_TERM_REQ -> {
                termReq = pdu;
                // The target may wait for the host to go first, for up to 30 s.
                socket.shutdownOutput();
            }
            default -> breach(PduText.nameOf(type) + " where none can be");
        }
        return true;
    }

    /** The type of a PDU that keeps to what was agreed on; null when it does not, which is a breach. */
    private PduType checked(RawPdu pdu) {
        try {
            PduType type = received.check(pdu.header());
            if (!pdu.headerDigestValid()) {
                breach("wrong HDGST in " + pdu);
            }
            if (type != PduType.C2H_TERM_REQ && !pdu.dataDigestValid()) {
                breach("wrong DDGST in " + pdu);
            }
            return type;
        } catch (PduException e) {
            breach(e.getMessage() + " in " + pdu);
            return PduType.of(PduHeader.type(pdu.header()));
        }
    }

    private void takeCompletion(RawPdu pdu) {
        if (pdu.dataOffset() != 0) {
            breach("PDO " + pdu.dataOffset() + " in a CapsuleResp");
        }
        Cqe completion = pdu.completion();
        if ((pdu.u16(Capsule.ENTRY_OFFSET + Cqe.STATUS_OFFSET) & 1) != 0) {
            breach("the phase tag is set, which fabrics do not have");
        }
        Outstanding command = find(completion.commandId(), "a completion");
        if (command != null) {
            complete(command, completion);
        }
    }

    private void takeData(RawPdu pdu) {
        ByteBuffer header = pdu.header();
        Outstanding command = find(DataPdu.commandId(header), "C2HData");
        if (command == null) {
            return;
        }
        byte[] data = pdu.data();
        boolean last = pdu.has(PduHeader.LAST_PDU);
        if (DataPdu.lengthBytes(header) != data.length) {
            breach("DATAL " + DataPdu.lengthBytes(header) + " of a C2HData with " + data.length + " bytes");
        }
        if (command.lastSeen) {
            breach("C2HData after LAST_PDU");
        }
        if (DataPdu.offsetBytes(header) != command.dataBytes) {
            breach("DATAO " + DataPdu.offsetBytes(header) + " where " + command.dataBytes + " is next");
        } else if (command.dataBytes + data.length > command.data.length) {
            breach("more data than the " + command.data.length + " bytes that were asked for");
        } else {
            System.arraycopy(data, 0, command.data, command.dataBytes, data.length);
            command.dataBytes += data.length;
        }
        boolean mayBeLast = command.dataBytes >= command.payload.leastInBytes();
        boolean mustBeLast = command.dataBytes == command.data.length;
        if (last ? !mayBeLast : mustBeLast) {
            breach("LAST_PDU is " + (last ? "set" : "clear") + " after " + command.dataBytes + " of "
                    + command.data.length + " bytes");
        }
        command.lastSeen = last;
        if (pdu.has(PduHeader.SUCCESS)) {
            if (!last) {
                breach("SUCCESS without LAST_PDU");
            }
            complete(command, null);
        }
    }

    private void takeR2t(RawPdu pdu) throws IOException {
        ByteBuffer header = pdu.header();
        Outstanding command = find(R2T.commandId(header), "R2T");
        if (command == null) {
            return;
        }
        long from = R2T.offsetBytes(header);
        long length = R2T.lengthBytes(header);
        if (command.payload.inCapsule() || command.payload.out().length == 0) {
            breach("R2T for a command without data to fetch");
            return;
        }
        if (length == 0 || from != command.fetchedBytes || from + length > command.payload.out().length) {
            breach("R2T of " + length + " bytes at " + from + " where " + command.fetchedBytes + " of "
                    + command.payload.out().length + " were asked for");
        }
        command.fetchedBytes = (int) Math.min(command.payload.out().length, from + length);
        if (!holdsData) {
            answer(pdu, command.payload.out());
            return;
        }
        heldR2ts.add(pdu);
        long ofCommand = heldR2ts.stream()
                .filter(held -> R2T.commandId(held.header()) == command.commandId())
                .count();
        if (ofCommand > maxR2t) {
            breach(ofCommand + " R2Ts of one command at a time, MAXR2T allows " + maxR2t);
        }
    }

    @Override
    public void close() {
        socket.close();
    }
}
