package io.nvmf.tools.nbd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongToIntFunction;

/** A client that blocks, and sends what it is told. Numbers here are those of the protocol's text. */
public final class NbdClient implements AutoCloseable {
    public record OptionReply(int type, ByteBuffer data) {}

    public record Reply(long cookie, int error, String message, byte[] data) {}

    private final SocketChannel channel;
    /** Sends one byte at a time. */
    boolean slow;
    /** What was agreed on. */
    boolean structured;
    /** How much data a simple reply to a request has, by its cookie. */
    LongToIntFunction readLengths = cookie -> 0;

    private long lastCookie = 1000;

    public NbdClient(InetSocketAddress address) throws IOException {
        channel = SocketChannel.open(address);
    }

    NbdClient(Path socket) throws IOException {
        channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    /** Closes with a reset. */
    void reset() throws IOException {
        channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        channel.close();
    }

    void send(byte[] bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            if (slow) {
                buffer.limit(buffer.position() + 1);
            }
            channel.write(buffer);
            buffer.limit(bytes.length);
        }
    }

    private ByteBuffer receive(int bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(bytes);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                throw new EOFException();
            }
        }
        return buffer.flip();
    }

    void assertClosed() {
        assertThrows(IOException.class, () -> {
            while (true) {
                receive(1);
            }
        });
    }

    // ---- Negotiation

    /** The server's handshake flags. */
    int readGreeting() throws IOException {
        ByteBuffer greeting = receive(18);
        assertEquals(
                "NBDMAGICIHAVEOPT",
                StandardCharsets.US_ASCII.decode(greeting.slice(0, 16)).toString());
        return greeting.getShort(16);
    }

    public int greet(int flags) throws IOException {
        int serverFlags = readGreeting();
        send(ByteBuffer.allocate(4).putInt(flags).array());
        return serverFlags;
    }

    /** Data of INFO and GO. */
    public static byte[] info(String name, int... wanted) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        ByteBuffer data = ByteBuffer.allocate(6 + bytes.length + 2 * wanted.length)
                .putInt(bytes.length)
                .put(bytes)
                .putShort((short) wanted.length);
        for (int one : wanted) {
            data.putShort((short) one);
        }
        return data.array();
    }

    void sendOption(int option, byte[] data) throws IOException {
        send(ByteBuffer.allocate(16 + data.length)
                .put("IHAVEOPT".getBytes(StandardCharsets.US_ASCII))
                .putInt(option)
                .putInt(data.length)
                .put(data)
                .array());
    }

    /** All replies, up to the one that is the last. */
    public List<OptionReply> option(int option, byte[] data) throws IOException {
        sendOption(option, data);
        List<OptionReply> replies = new ArrayList<>();
        int type;
        do {
            ByteBuffer header = receive(20);
            assertEquals(0x3e889045565a9L, header.getLong());
            assertEquals(option, header.getInt());
            type = header.getInt();
            replies.add(new OptionReply(type, receive(header.getInt())));
        } while (type > 1);
        return replies;
    }

    ByteBuffer exportName(String name, int answerBytes) throws IOException {
        sendOption(1, name.getBytes(StandardCharsets.UTF_8));
        return receive(answerBytes);
    }

    // ---- Transmission

    void sendRequest(int type, int flags, long cookie, long offset, int length, byte[] data) throws IOException {
        byte[] payload = type == 1 ? data : new byte[0];
        send(ByteBuffer.allocate(28 + payload.length)
                .putInt(0x25609513)
                .putShort((short) flags)
                .putShort((short) type)
                .putLong(cookie)
                .putLong(offset)
                .putInt(length)
                .put(payload)
                .array());
    }

    /** Sends one request and reads its reply. */
    public Reply request(int type, int flags, long offset, int length, byte[] data) throws IOException {
        long cookie = ++lastCookie;
        sendRequest(type, flags, cookie, offset, length, data);
        readLengths = any -> type == 0 ? length : 0;
        Reply reply = readReply();
        assertEquals(cookie, reply.cookie());
        return reply;
    }

    Reply readReply() throws IOException {
        return structured ? readStructured() : readSimple();
    }

    private Reply readSimple() throws IOException {
        ByteBuffer header = receive(16);
        assertEquals(0x67446698, header.getInt());
        int error = header.getInt();
        long cookie = header.getLong();
        byte[] data = error == 0 ? receive(readLengths.applyAsInt(cookie)).array() : new byte[0];
        return new Reply(cookie, error, "", data);
    }

    /** This server sends one chunk a reply. */
    private Reply readStructured() throws IOException {
        ByteBuffer header = receive(20);
        assertEquals(0x668e33ef, header.getInt());
        assertEquals(1, header.getShort(), "done");
        int type = header.getShort() & 0xFFFF;
        long cookie = header.getLong();
        ByteBuffer payload = receive(header.getInt());
        switch (type) {
            case 0:
                return new Reply(cookie, 0, "", new byte[0]);
            case 1:
                payload.getLong();
                byte[] data = new byte[payload.remaining()];
                payload.get(data);
                return new Reply(cookie, 0, "", data);
            default:
                assertEquals(0x8001, type);
                int error = payload.getInt();
                assertEquals(payload.remaining() - 2, payload.getShort());
                return new Reply(
                        cookie, error, StandardCharsets.UTF_8.decode(payload).toString(), new byte[0]);
        }
    }
}
