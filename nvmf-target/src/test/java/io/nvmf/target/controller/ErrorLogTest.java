package io.nvmf.target.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.nvmf.codec.log.ErrorLogEntry;
import org.junit.jupiter.api.Test;

class ErrorLogTest {
    @Test
    void shouldKeepTheLastErrorsNewestFirst() {
        ErrorLog log = new ErrorLog();
        for (int i = 1; i <= ErrorLog.ENTRIES + 3; i++) {
            ErrorLogEntry entry = ErrorLogEntry.allocate();
            entry.set(ErrorLogEntry.Field.CID, i);
            log.add(entry);
        }
        ErrorLogEntry newest = ErrorLogEntry.decode(log.page(), 0);
        assertEquals(ErrorLog.ENTRIES + 3, newest.get(ErrorLogEntry.Field.COUNT));
        assertEquals(ErrorLog.ENTRIES + 3, newest.get(ErrorLogEntry.Field.CID));
        ErrorLogEntry oldest = ErrorLogEntry.decode(log.page(), (ErrorLog.ENTRIES - 1) * ErrorLogEntry.BYTES);
        assertEquals(4, oldest.get(ErrorLogEntry.Field.CID));
        assertEquals(ErrorLog.ENTRIES + 3, log.count());
    }
}
