package io.nvmf.codec.log;

import io.nvmf.codec.Bytes;
import java.nio.ByteBuffer;

/**
 * The Commands Supported and Effects log, LID 05h (NVMe Base 2.0 s5.16.1.6): a 4-byte entry for each of 256 admin opcodes
 * at 0 and of 256 I/O opcodes at 1024.
 */
public final class CommandsSupportedAndEffects {
    public static final int BYTES = 4096;

    // Bits of an entry.
    /** The command is supported. */
    public static final int SUPPORTED = 1;
    /** It changes logical block content. */
    public static final int BLOCK_CONTENT_CHANGE = 1 << 1;
    /** It changes a namespace's capability. */
    public static final int NAMESPACE_CAPABILITY_CHANGE = 1 << 2;
    /** It changes the number of namespaces or controllers. */
    public static final int NAMESPACE_INVENTORY_CHANGE = 1 << 3;
    /** It changes the controller's capability. */
    public static final int CONTROLLER_CAPABILITY_CHANGE = 1 << 4;

    private static final int IO_OFFSET = 1024;

    private final ByteBuffer buffer = Bytes.allocate(BYTES);

    private CommandsSupportedAndEffects() {}

    /** A log in which no command is supported. */
    public static CommandsSupportedAndEffects allocate() {
        return new CommandsSupportedAndEffects();
    }

    /** A copy of 4096 received bytes; {@link IllegalArgumentException} when there are fewer. */
    public static CommandsSupportedAndEffects decode(ByteBuffer source, int offset) {
        CommandsSupportedAndEffects log = new CommandsSupportedAndEffects();
        log.buffer.put(0, Bytes.requireRange(source, offset, BYTES), offset, BYTES);
        return log;
    }

    public void encode(ByteBuffer target, int offset) {
        Bytes.requireRange(target, offset, BYTES).put(offset, buffer, 0, BYTES);
    }

    /** The entry of an admin opcode. */
    public int admin(int opcode) {
        return buffer.getInt(4 * (opcode & 0xFF));
    }

    public void admin(int opcode, int entry) {
        buffer.putInt(4 * (opcode & 0xFF), entry);
    }

    /** The entry of an I/O opcode. */
    public int io(int opcode) {
        return buffer.getInt(IO_OFFSET + 4 * (opcode & 0xFF));
    }

    public void io(int opcode, int entry) {
        buffer.putInt(IO_OFFSET + 4 * (opcode & 0xFF), entry);
    }
}
