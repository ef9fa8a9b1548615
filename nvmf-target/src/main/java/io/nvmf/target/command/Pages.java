package io.nvmf.target.command;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/** Answers whose data is a page: identify data and log pages. */
public final class Pages {
    private Pages() {}

    /** Fills the command's data with the page from {@code offset} on, and with zeros where the page ends before. */
    public static void fill(Command command, ByteBuffer page, long offset) {
        ByteBuf data = command.data();
        int available = (int) Math.max(0, Math.min(command.dataLength(), page.capacity() - offset));
        if (available > 0) {
            data.setBytes(0, page.slice((int) offset, available));
        }
        data.setZero(available, command.dataLength() - available);
    }
}
