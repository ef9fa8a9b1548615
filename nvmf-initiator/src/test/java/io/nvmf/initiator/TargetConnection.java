package io.nvmf.initiator;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.zip.CRC32C;

/**
 * The target's end of one connection in tests: bytes made and taken apart by hand, sharing no code with the product. Owned
 * by its thread.
 */
final class TargetConnection implements Closeable {
    static final int LAST = 4;
    static final int SUCCESS = 8;

    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;

    /** Commands that came while write data was awaited. */
    final ArrayDeque<ReceivedPdu> early = new ArrayDeque<>();

    int queueId = -1;
    boolean headerDigest;
    boolean dataDigest;
    /** Multiple of which data in PDUs of the host must start. */
    int hostDataAlignment = 4;
    /** How many bytes are handed to the socket at once. */
    int writeBytes = Integer.MAX_VALUE;
    /** Added to the digest of the next data PDU. */
    int dataDigestError;

    int headerDigestError;

    TargetConnection(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        in = new DataInputStream(new java.io.BufferedInputStream(socket.getInputStream(), 1 << 16));
        out = socket.getOutputStream();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    // ---- Receiving

    /** The next PDU; fails the connection on a wrong digest or offset. */
    ReceivedPdu receive() throws IOException {
        byte[] common = in.readNBytes(8);
        if (common.length < 8) {
            throw new java.io.EOFException();
        }
        int headerLength = common[2] & 0xFF;
        int pdo = common[3] & 0xFF;
        int plen = little(common).getInt(4);
        byte[] header = java.util.Arrays.copyOf(common, headerLength);
        in.readFully(header, 8, headerLength - 8);
        int at = headerLength;
        boolean digested = common[0] >= 4;
        check((header[1] & 1) == (headerDigest && digested ? 1 : 0), "HDGSTF");
        if (headerDigest && digested) {
            check(Integer.reverseBytes(in.readInt()) == crc(header, header.length), "header digest");
            at += 4;
        }
        byte[] data = new byte[0];
        if (plen > at) {
            boolean copy = common[0] == ReceivedPdu.H2C_TERM_REQ;
            if (!copy) {
                check(pdo >= at && pdo % hostDataAlignment == 0 && pdo - at < hostDataAlignment, "PDO " + pdo);
                in.readNBytes(pdo - at);
                at = pdo;
            }
            boolean digest = dataDigest && !copy;
            check(copy || (header[1] & 2) == (digest ? 2 : 0), "DDGSTF");
            data = in.readNBytes(plen - at - (digest ? 4 : 0));
            if (digest) {
                check(Integer.reverseBytes(in.readInt()) == crc(data, data.length), "data digest");
            }
        } else {
            check(pdo == 0, "PDO without data");
        }
        return new ReceivedPdu(queueId, header, data);
    }

    /** Waits until the host sends something, without taking it. */
    void awaitInput() throws IOException {
        in.mark(1);
        in.read();
        in.reset();
    }

    private static void check(boolean condition, String what) throws IOException {
        if (!condition) {
            throw new IOException("The host sent a wrong " + what);
        }
    }

    // ---- Sending

    void icResp(int cpda, int digests, int maxH2cData) throws IOException {
        ByteBuffer pdu = pdu(0x01, 0, 128, 0, 128);
        pdu.put(10, (byte) cpda).put(11, (byte) digests).putInt(12, maxH2cData);
        raw(pdu.array());
    }

    void response(int commandId, int status, long result) throws IOException {
        ByteBuffer pdu = header(0x05, 0, 24);
        pdu.putLong(8, result)
                .putShort(16, (short) 7)
                .putShort(20, (short) commandId)
                .putShort(22, (short) (status << 1));
        raw(withHeaderDigest(pdu, 24));
    }

    void r2t(int commandId, int tag, int offset, int length) throws IOException {
        raw(r2tPdu(commandId, tag, offset, length));
    }

    byte[] r2tPdu(int commandId, int tag, int offset, int length) {
        ByteBuffer pdu = header(0x09, 0, 24);
        pdu.putShort(8, (short) commandId)
                .putShort(10, (short) tag)
                .putInt(12, offset)
                .putInt(16, length);
        return withHeaderDigest(pdu, 24);
    }

    void readData(int commandId, int offset, byte[] data, int from, int length, int flags) throws IOException {
        readData(commandId, offset, data, from, length, length, flags);
    }

    /** With a DATAL that need not be the length of the data. */
    void readData(int commandId, int offset, byte[] data, int from, int length, int datal, int flags)
            throws IOException {
        int pdo = 24 + (headerDigest ? 4 : 0);
        int plen = pdo + length + (dataDigest ? 4 : 0);
        int all = flags | (headerDigest ? 1 : 0) | (dataDigest ? 2 : 0);
        ByteBuffer pdu = pdu(0x07, all, 24, pdo, plen);
        pdu.putShort(8, (short) commandId).putInt(12, offset).putInt(16, datal);
        withHeaderDigest(pdu, 24);
        pdu.put(pdo, data, from, length);
        if (dataDigest) {
            CRC32C crc = new CRC32C();
            crc.update(data, from, length);
            pdu.putInt(plen - 4, (int) crc.getValue() + dataDigestError);
            dataDigestError = 0;
        }
        raw(pdu.array());
    }

    /** The header of a C2HData PDU whose data is still to be sent. */
    void readHeaderAlone(int commandId, int length) throws IOException {
        ByteBuffer pdu = pdu(0x07, 0, 24, 24, 24).putInt(4, 24 + length);
        pdu.putShort(8, (short) commandId).putInt(16, length);
        raw(pdu.array());
    }

    void termReq(int fes, int fei) throws IOException {
        ByteBuffer pdu = pdu(0x03, 0, 24, 0, 24);
        pdu.putShort(8, (short) fes).putInt(10, fei);
        raw(pdu.array());
    }

    /** A PDU without data: room for header and digest. */
    private ByteBuffer header(int type, int flags, int length) {
        int digest = headerDigest ? 4 : 0;
        return pdu(type, flags | (headerDigest ? 1 : 0), length, 0, length + digest);
    }

    private byte[] withHeaderDigest(ByteBuffer pdu, int length) {
        if (headerDigest) {
            pdu.putInt(length, crc(pdu.array(), length) + headerDigestError);
            headerDigestError = 0;
        }
        return pdu.array();
    }

    static ByteBuffer pdu(int type, int flags, int hlen, int pdo, int plen) {
        return little(new byte[plen])
                .put(0, (byte) type)
                .put(1, (byte) flags)
                .put(2, (byte) hlen)
                .put(3, (byte) pdo)
                .putInt(4, plen);
    }

    void raw(byte[] bytes) throws IOException {
        for (int at = 0; at < bytes.length; ) {
            int n = Math.min(writeBytes, bytes.length - at);
            out.write(bytes, at, n);
            at += n;
            if (at < bytes.length) {
                Thread.yield();
            }
        }
    }

    private static ByteBuffer little(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static int crc(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }
}
