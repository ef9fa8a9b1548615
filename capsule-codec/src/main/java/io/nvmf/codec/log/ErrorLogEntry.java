package io.nvmf.codec.log;

import io.nvmf.codec.NumberField;
import io.nvmf.codec.Structure;
import java.nio.ByteBuffer;

/** An entry of the Error Information log, LID 01h (NVMe Base 2.0 s5.16.1.2). The newest entry comes first. */
public final class ErrorLogEntry extends Structure<ErrorLogEntry.Field> {
    public static final int BYTES = 64;

    /** The numbers, in the order of their bytes. */
    public enum Field implements NumberField {
        /** Number of the error since the controller exists; 0 = the entry is unused. */
        COUNT(0, 8),
        SQID(8, 2),
        CID(10, 2),
        /** The completion's last two bytes: phase tag in bit 0, then the status; see {@link #status}. */
        STATUS(12, 2),
        /** Which byte (7:0) and bit (10:8) of the command was wrong; FFFFh = none. */
        PARAMETER_LOCATION(14, 2),
        LBA(16, 8),
        NSID(24, 4),
        VENDOR_LOG_PAGE(28, 1),
        TRTYPE(29, 1),
        CSI(30, 1),
        OPC(31, 1),
        COMMAND_SPECIFIC(32, 8),
        TRANSPORT_SPECIFIC(40, 2),
        LOG_VERSION(63, 1);

        private final int offset;
        private final int lengthBytes;

        Field(int offset, int lengthBytes) {
            this.offset = offset;
            this.lengthBytes = lengthBytes;
        }

        @Override
        public int offset() {
            return offset;
        }

        @Override
        public int lengthBytes() {
            return lengthBytes;
        }
    }

    private ErrorLogEntry() {
        super(BYTES);
    }

    private ErrorLogEntry(ByteBuffer source, int offset) {
        super(source, offset, BYTES);
    }

    /** Data with every byte zero: unused. */
    public static ErrorLogEntry allocate() {
        return new ErrorLogEntry();
    }

    /** A copy of 64 received bytes; {@link IllegalArgumentException} when there are fewer. */
    public static ErrorLogEntry decode(ByteBuffer source, int offset) {
        return new ErrorLogEntry(source, offset);
    }

    /** The 15-bit status, as {@link io.nvmf.codec.Status} describes it. */
    public int status() {
        return (int) get(Field.STATUS) >> 1;
    }

    public void status(int status) {
        set(Field.STATUS, (status & 0x7FFF) << 1);
    }
}
