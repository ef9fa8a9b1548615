package io.nvmf.tools.nbd;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Writes replies, simple ones or, when the client has agreed to it, structured ones of a single chunk. */
final class Replies {
    private static final int STRUCTURED_BYTES = 20;
    private static final int SIMPLE_BYTES = 16;
    private static final Map<Integer, String> SENTENCES = Map.of(
            Nbd.EPERM, "the export is read-only here, or reserved by another host",
            Nbd.EINVAL, "no such request, or not inside the export, or longer than the largest",
            Nbd.ENOSPC, "there is no space for it",
            Nbd.ENOTSUP, "the controller has no such command",
            Nbd.ESHUTDOWN, "this server is about to end",
            Nbd.ENOMEM, "this server is out of memory",
            Nbd.EIO, "the controller has failed, or cannot be reached");

    private final NbdConnection connection;
    private final boolean isStructured;
    private int unsent;

    Replies(NbdConnection connection, boolean isStructured) {
        this.connection = connection;
        this.isStructured = isStructured;
    }

    boolean areStructured() {
        return isStructured;
    }

    /** Whether the client has not taken all of them yet. */
    boolean isBehind() {
        return unsent > 0;
    }

    void success(NbdRequest request) {
        send(isStructured ? chunk(request, Nbd.CHUNK_NONE, 0) : simple(request, 0));
    }

    void error(NbdRequest request, int error) {
        if (!isStructured) {
            send(simple(request, error));
            return;
        }
        byte[] sentence = SENTENCES.getOrDefault(error, "").getBytes(StandardCharsets.UTF_8);
        send(chunk(request, Nbd.CHUNK_ERROR, 6 + sentence.length)
                .writeInt(error)
                .writeShort(sentence.length)
                .writeBytes(sentence));
    }

    /**
     * Answers a read.
     *
     * @param data becomes the channel's
     * @param sent is run when it has gone out, or cannot
     */
    void data(NbdRequest request, ByteBuf data, Runnable sent) {
        send(
                isStructured
                        ? chunk(request, Nbd.CHUNK_OFFSET_DATA, Long.BYTES + (int) request.lengthBytes())
                                .writeLong(request.offset())
                        : simple(request, 0));
        unsent++;
        connection.send(data).addListener(done -> {
            unsent--;
            sent.run();
        });
    }

    private void send(ByteBuf bytes) {
        unsent++;
        connection.send(bytes).addListener(done -> unsent--);
    }

    private ByteBuf simple(NbdRequest request, int error) {
        return connection
                .buffer(SIMPLE_BYTES)
                .writeInt(Nbd.SIMPLE_REPLY_MAGIC)
                .writeInt(error)
                .writeLong(request.cookie());
    }

    private ByteBuf chunk(NbdRequest request, int type, int lengthBytes) {
        return connection
                .buffer(STRUCTURED_BYTES + Math.min(lengthBytes, 256))
                .writeInt(Nbd.STRUCTURED_REPLY_MAGIC)
                .writeShort(Nbd.REPLY_FLAG_DONE)
                .writeShort(type)
                .writeLong(request.cookie())
                .writeInt(lengthBytes);
    }
}
