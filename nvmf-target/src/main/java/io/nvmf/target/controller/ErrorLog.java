package io.nvmf.target.controller;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.log.ErrorLogEntry;
import io.nvmf.codec.log.ErrorLogEntry.Field;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * The last errors of a controller, newest first (NVMe Base 2.0 s5.16.1.2). It begins empty with the association, as all that
 * a dynamic controller keeps, and outlives a controller reset. Owned by the admin queue's event loop.
 */
public final class ErrorLog {
    /** ELPE + 1. */
    public static final int ENTRIES = 64;

    private final ArrayDeque<ErrorLogEntry> newestFirst = new ArrayDeque<>(ENTRIES);
    private long count;

    /** How many errors there have been, in all. */
    public long count() {
        return count;
    }

    /** @param entry of a command that has failed; its number is set here */
    public void add(ErrorLogEntry entry) {
        if (newestFirst.size() == ENTRIES) {
            newestFirst.removeLast();
        }
        entry.set(Field.COUNT, ++count);
        newestFirst.addFirst(entry);
    }

    /** The whole log page 01h; unused entries are zero. */
    public ByteBuffer page() {
        ByteBuffer page = Bytes.allocate(ENTRIES * ErrorLogEntry.BYTES);
        int offset = 0;
        for (ErrorLogEntry entry : newestFirst) {
            entry.encode(page, offset);
            offset += ErrorLogEntry.BYTES;
        }
        return page;
    }
}
