package io.nvmf.tools.rpc;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** JSON values one after the other on a socket, however it cuts them. Blocks; one thread. */
final class JsonStream {
    /** Of one request. */
    static final int MAX_REQUEST_BYTES = 1 << 20;
    /** Of one answer. */
    static final int MAX_ANSWER_BYTES = 64 << 20;

    private static final int MAX_DEPTH = 64;
    /** What is read from a client that goes on sending after its last answer. */
    private static final int MAX_UNREAD_BYTES = 64 << 20;

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(MAX_DEPTH)
                            .build())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .disable(StreamReadFeature.AUTO_CLOSE_SOURCE)
                    .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
                    .build())
            .build();

    private final SocketChannel channel;
    private final int maxBytes;
    private final Limited bytes;
    private JsonParser parser;

    /**
     * @param maxBytes of a value that is read
     * @param whenBegun is told when some of a value has come; many times for one
     */
    JsonStream(SocketChannel channel, int maxBytes, Runnable whenBegun) {
        this.channel = channel;
        this.maxBytes = maxBytes;
        this.bytes = new Limited(Channels.newInputStream(channel), whenBegun);
    }

    /**
     * The next value; null at the end.
     *
     * @throws RpcException when it is no JSON, or more than is taken; nothing can be read any more then
     * @throws IOException when the connection is lost
     */
    JsonNode read() throws IOException, RpcException {
        if (parser == null) {
            parser = MAPPER.createParser(new InputStreamReader(bytes, StandardCharsets.UTF_8));
        }
        bytes.left = maxBytes;
        try {
            return parser.nextToken() == null ? null : parser.readValueAsTree();
        } catch (JsonProcessingException e) {
            throw problem(e);
        } catch (TooLongException e) {
            throw new RpcException(
                    RpcException.INVALID_REQUEST, "this is no request: it is longer than " + maxBytes + " bytes", e);
        }
    }

    /** In words for people, instead of the parser's own. */
    private static RpcException problem(JsonProcessingException e) {
        if (e instanceof StreamConstraintsException) {
            String what = e.getMessage().contains("nesting depth")
                    ? "it is nested deeper than " + MAX_DEPTH
                    : "a number or a name in it is too long";
            return new RpcException(RpcException.INVALID_REQUEST, "this is no request: " + what, e);
        }
        String what = "this is no JSON";
        if (e instanceof JsonEOFException) {
            what = "the JSON ends before it is complete";
        } else if (e.getMessage().contains("Duplicate")) {
            what = "a key stands twice in one object";
        }
        return new RpcException(RpcException.PARSE_ERROR, "Parse error: " + what, e);
    }

    void write(JsonNode node) throws IOException {
        ByteBuffer left = ByteBuffer.wrap(MAPPER.writeValueAsBytes(node));
        while (left.hasRemaining()) {
            channel.write(left);
        }
    }

    /** Says that no more comes, and lets a peer that sends before it reads end its sending: it would not see the last answer. */
    void leave() throws IOException {
        channel.shutdownOutput();
        bytes.left = MAX_UNREAD_BYTES;
        byte[] unread = new byte[8192];
        while (bytes.left > 0 && bytes.read(unread, 0, unread.length) >= 0) {
            continue;
        }
    }

    private static final class TooLongException extends IOException {
        private static final long serialVersionUID = 1;
    }

    /** No more than so many bytes until it is allowed anew; what was read before it was asked for counts nothing. */
    private static final class Limited extends FilterInputStream {
        private final Runnable whenBegun;
        private int left;

        Limited(InputStream in, Runnable whenBegun) {
            super(in);
            this.whenBegun = whenBegun;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            if (left == 0) {
                throw new TooLongException();
            }
            int count = super.read(target, offset, Math.min(left, length));
            left -= Math.max(0, count);
            for (int i = 0; i < count; i++) {
                if ((target[offset + i] & 0xFF) > ' ') {
                    whenBegun.run();
                    break;
                }
            }
            return count;
        }
    }
}
