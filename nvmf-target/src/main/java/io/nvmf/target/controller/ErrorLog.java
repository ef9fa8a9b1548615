package io.nvmf.target.controller;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.log.ErrorLogEntry;
import io.nvmf.codec.log.ErrorLogEntry.Field;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/** The last errors of a controller, newest first (NVMe Base 2.0 s5.16.1.2). Owned by the admin queue's event loop. */
public final class ErrorLog {
    /** ELPE + 1. */
    public static final int ENTRIES = 64;

    private final ArrayDeque<ErrorLogEntry> newestFirst = new ArrayDeque<>(ENTRIES);
    private long count;

    /** How many errors there have been, in all. */
    public long count() {
        return count;
    }

    /**
     * @param status as the command was completed with it
     * @param nsid of the command, 0 for none
     * @param startBlock of the command, 0 for none
     */
    public void add(int queueId, int commandId, int opcode, int status, long nsid, long startBlock) {
        if (newestFirst.size() == ENTRIES) {
            newestFirst.removeLast();
        }
        ErrorLogEntry entry = ErrorLogEntry.allocate();
        entry.set(Field.COUNT, ++count);
        entry.set(Field.SQID, queueId);
        entry.set(Field.CID, commandId);
        entry.status(status);
        entry.set(Field.PARAMETER_LOCATION, 0xFFFF);
        entry.set(Field.LBA, startBlock);
        entry.set(Field.NSID, nsid);
        entry.set(Field.OPC, opcode);
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
