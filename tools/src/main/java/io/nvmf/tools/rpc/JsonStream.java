package io.nvmf.tools.rpc;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteFeature;
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
    /** Of one value that is read. */
    static final int MAX_BYTES = 4 << 20;

    private static final int MAX_DEPTH = 64;
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
    private final Limited bytes;
    private JsonParser parser;

    JsonStream(SocketChannel channel) {
        this.channel = channel;
        this.bytes = new Limited(Channels.newInputStream(channel));
    }

    /**
     * The next value; null at the end.
     *
     * @throws com.fasterxml.jackson.core.JsonProcessingException when it is no JSON, or nested too deep
     * @throws IOException when it is too long, or the connection is lost
     */
    JsonNode read() throws IOException {
        if (parser == null) {
            parser = MAPPER.createParser(new InputStreamReader(bytes, StandardCharsets.UTF_8));
        }
        bytes.left = MAX_BYTES;
        return parser.nextToken() == null ? null : parser.readValueAsTree();
    }

    void write(JsonNode node) throws IOException {
        ByteBuffer left = ByteBuffer.wrap(MAPPER.writeValueAsBytes(node));
        while (left.hasRemaining()) {
            channel.write(left);
        }
    }

    /** No more than so many bytes until it is allowed anew; what was read before it was asked for counts nothing. */
    private static final class Limited extends FilterInputStream {
        private int left;

        Limited(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            if (left == 0) {
                throw new IOException("a value is longer than " + MAX_BYTES + " bytes");
            }
            int count = super.read(target, offset, Math.min(left, length));
            left -= Math.max(0, count);
            return count;
        }
    }
}
