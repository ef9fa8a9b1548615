package io.nvmf.tools.nbd;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * The options of a fixed newstyle handshake: what is there, how large its blocks are, how replies look. Each option that
 * this server has not is refused, and the client goes on with others.
 */
final class Negotiation implements Phase {
    private static final int OPTION_HEADER_BYTES = 16;
    /** A name has up to 4096 bytes. */
    private static final int MAX_OPTION_BYTES = 8192;

    private static final int MAX_OPTIONS = 64;
    private static final int ZEROES_BYTES = 124;

    private final NbdConnection connection;
    private final Served served;
    private final NbdExport export;
    private boolean hasFlags;
    private boolean withoutZeroes;
    private boolean structuredReplies;
    private int options;

    Negotiation(NbdConnection connection, Served served) {
        this.connection = connection;
        this.served = served;
        export = served.export();
    }

    void greet() {
        connection.send(connection
                .buffer(18)
                .writeLong(Nbd.MAGIC)
                .writeLong(Nbd.OPTION_MAGIC)
                .writeShort(Nbd.FIXED_NEWSTYLE | Nbd.NO_ZEROES));
    }

    @Override
    public boolean isOwed() {
        return true;
    }

    @Override
    public void ended() {
        // Nothing is held.
    }

    @Override
    public boolean advance(ByteBuf in) {
        return hasFlags ? advanceOption(in) : advanceFlags(in);
    }

    private boolean advanceFlags(ByteBuf in) {
        if (in.readableBytes() < Integer.BYTES) {
            return false;
        }
        int flags = in.readInt();
        if ((flags & ~(Nbd.FIXED_NEWSTYLE | Nbd.NO_ZEROES)) != 0) {
            throw new ProtocolException(String.format("unknown handshake flags %#x", flags));
        }
        withoutZeroes = (flags & Nbd.NO_ZEROES) != 0;
        hasFlags = true;
        return true;
    }

    private boolean advanceOption(ByteBuf in) {
        if (in.readableBytes() < OPTION_HEADER_BYTES) {
            return false;
        }
        int at = in.readerIndex();
        int option = in.getInt(at + 8);
        long lengthBytes = in.getUnsignedInt(at + 12);
        if (in.getLong(at) != Nbd.OPTION_MAGIC) {
            throw new ProtocolException("an option without its magic number");
        }
        if (lengthBytes > MAX_OPTION_BYTES) {
            throw new ProtocolException("option " + option + " with " + lengthBytes + " bytes");
        }
        if (in.readableBytes() < OPTION_HEADER_BYTES + lengthBytes) {
            return false;
        }
        if (++options > MAX_OPTIONS) {
            throw new ProtocolException("more than " + MAX_OPTIONS + " options");
        }
        in.skipBytes(OPTION_HEADER_BYTES);
        take(option, in.readSlice((int) lengthBytes));
        return true;
    }

    private void take(int option, ByteBuf data) {
        switch (option) {
            case Nbd.OPTION_EXPORT_NAME -> exportName(text(data, data.readableBytes()));
            case Nbd.OPTION_ABORT -> {
                reply(option, Nbd.REPLY_ACK);
                connection.finish();
            }
            case Nbd.OPTION_LIST -> {
                if (isEmpty(option, data)) {
                    byte[] name = bytes(export.name());
                    reply(
                            option,
                            Nbd.REPLY_SERVER,
                            Integer.BYTES + name.length,
                            out -> out.writeInt(name.length).writeBytes(name));
                    reply(option, Nbd.REPLY_ACK);
                }
            }
            case Nbd.OPTION_INFO, Nbd.OPTION_GO -> info(option, data);
            case Nbd.OPTION_STRUCTURED_REPLY -> {
                if (isEmpty(option, data)) {
                    structuredReplies = true;
                    reply(option, Nbd.REPLY_ACK);
                }
            }
            default -> refuse(option, Nbd.REPLY_UNSUPPORTED, "this server has no option " + option);
        }
    }

    private boolean isEmpty(int option, ByteBuf data) {
        if (data.isReadable()) {
            refuse(option, Nbd.REPLY_INVALID, "option " + option + " has no data");
            return false;
        }
        return true;
    }

    /** The old way, which can only close when there is no such export. */
    private void exportName(String name) {
        if (!export.isCalled(name)) {
            throw new ProtocolException("there is no export '" + name + "'");
        }
        if (!export.isThere()) {
            throw new ProtocolException("the namespace is gone");
        }
        ByteBuf out = connection.buffer(10 + ZEROES_BYTES);
        out.writeLong(export.sizeBytes()).writeShort(export.transmissionFlags(structuredReplies));
        connection.send(withoutZeroes ? out : out.writeZero(ZEROES_BYTES));
        transmit();
    }

    private void info(int option, ByteBuf data) {
        String name = null;
        boolean wantsBlockSizes = false;
        boolean wantsName = false;
        boolean wantsDescription = false;
        if (data.readableBytes() >= 6) {
            long nameBytes = data.readUnsignedInt();
            if (nameBytes <= data.readableBytes() - 2) {
                name = text(data, (int) nameBytes);
                int wanted = data.readUnsignedShort();
                boolean isWhole = data.readableBytes() == wanted * Short.BYTES;
                for (int i = 0; isWhole && i < wanted; i++) {
                    int info = data.readUnsignedShort();
                    wantsBlockSizes |= info == Nbd.INFO_BLOCK_SIZE;
                    wantsName |= info == Nbd.INFO_NAME;
                    wantsDescription |= info == Nbd.INFO_DESCRIPTION;
                }
                name = isWhole ? name : null;
            }
        }
        if (name == null) {
            refuse(option, Nbd.REPLY_INVALID, "the lengths in the option do not add up");
        } else if (!export.isCalled(name)) {
            refuse(option, Nbd.REPLY_UNKNOWN, "there is no export of this name");
        } else if (!export.isThere()) {
            refuse(option, Nbd.REPLY_UNKNOWN, "the namespace is gone");
        } else {
            // Who has not asked for block sizes keeps to none.
            int minBlockBytes = option == Nbd.OPTION_INFO || wantsBlockSizes ? export.blockBytes() : 1;
            answerInfo(option, minBlockBytes, wantsName, wantsDescription);
        }
    }

    private void answerInfo(int option, int minBlockBytes, boolean wantsName, boolean wantsDescription) {
        reply(
                option,
                Nbd.REPLY_INFO,
                12,
                out -> out.writeShort(Nbd.INFO_EXPORT)
                        .writeLong(export.sizeBytes())
                        .writeShort(export.transmissionFlags(structuredReplies)));
        if (wantsName) {
            replyText(option, Nbd.INFO_NAME, export.name());
        }
        if (wantsDescription) {
            replyText(option, Nbd.INFO_DESCRIPTION, export.description());
        }
        reply(
                option,
                Nbd.REPLY_INFO,
                14,
                out -> out.writeShort(Nbd.INFO_BLOCK_SIZE)
                        .writeInt(minBlockBytes)
                        .writeInt(export.preferredBlockBytes())
                        .writeInt(export.maxRequestBytes()));
        reply(option, Nbd.REPLY_ACK);
        if (option == Nbd.OPTION_GO) {
            transmit();
        }
    }

    private void transmit() {
        connection.enter(new Transmission(connection, served, structuredReplies));
    }

    // ---- Replies

    private void replyText(int option, int info, String text) {
        byte[] bytes = bytes(text);
        reply(
                option,
                Nbd.REPLY_INFO,
                Short.BYTES + bytes.length,
                out -> out.writeShort(info).writeBytes(bytes));
    }

    private void refuse(int option, int type, String why) {
        byte[] bytes = bytes(why);
        reply(option, type, bytes.length, out -> out.writeBytes(bytes));
    }

    private void reply(int option, int type) {
        reply(option, type, 0, out -> {});
    }

    private void reply(int option, int type, int lengthBytes, Consumer<ByteBuf> data) {
        ByteBuf out = connection.buffer(20 + lengthBytes);
        out.writeLong(Nbd.OPTION_REPLY_MAGIC).writeInt(option).writeInt(type).writeInt(lengthBytes);
        data.accept(out);
        connection.send(out);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(ByteBuf data, int lengthBytes) {
        return data.readCharSequence(lengthBytes, StandardCharsets.UTF_8).toString();
    }
}
