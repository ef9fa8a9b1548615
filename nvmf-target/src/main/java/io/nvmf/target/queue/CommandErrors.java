package io.nvmf.target.queue;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.log.ErrorLogEntry;
import io.nvmf.codec.log.ErrorLogEntry.Field;
import io.nvmf.codec.log.TransportType;
import io.nvmf.codec.nvm.ReadWriteCommand;

/** What the error log says of a command that has failed (NVMe Base 2.0 s5.16.1.2). */
final class CommandErrors {
    private static final int NO_LOCATION = 0xFFFF;

    private CommandErrors() {}

    /** An entry without its number. @param transport that of the queue, which is told when it is at fault */
    static ErrorLogEntry entry(Sqe sqe, int queueId, int status, TransportType transport) {
        boolean namesBlocks = queueId != 0 && namesBlocks(sqe.opcode());
        ErrorLogEntry entry = ErrorLogEntry.allocate();
        entry.set(Field.SQID, queueId);
        entry.set(Field.CID, sqe.commandId());
        entry.status(status);
        entry.set(Field.PARAMETER_LOCATION, location(Status.withoutFlags(status), namesBlocks));
        entry.set(Field.LBA, namesBlocks ? ReadWriteCommand.startBlock(sqe) : 0);
        entry.set(Field.NSID, sqe.opcode() == Opcode.FABRICS ? 0 : sqe.nsid());
        boolean ofTransport = Status.withoutFlags(status) == Status.TRANSIENT_TRANSPORT_ERROR;
        entry.set(Field.TRTYPE, ofTransport ? transport.trtype() : 0);
        entry.set(Field.OPC, sqe.opcode());
        return entry;
    }

    /** Whether CDW10 and CDW11 of an I/O command are the first block it is about. */
    private static boolean namesBlocks(int opcode) {
        return switch (opcode) {
            case Opcode.Nvm.READ,
                    Opcode.Nvm.WRITE,
                    Opcode.Nvm.COMPARE,
                    Opcode.Nvm.WRITE_ZEROES,
                    Opcode.Nvm.WRITE_UNCORRECTABLE,
                    Opcode.Nvm.VERIFY -> true;
            default -> false;
        };
    }

    /** The byte of the entry that the status blames, where it leaves no doubt. */
    private static int location(int status, boolean namesBlocks) {
        return switch (status) {
            case Status.INVALID_OPCODE -> Sqe.OPCODE_OFFSET;
            case Status.INVALID_NAMESPACE_OR_FORMAT -> Sqe.NSID_OFFSET;
            case Status.INVALID_LOG_PAGE -> Sqe.CDW10_OFFSET;
            case Status.LBA_OUT_OF_RANGE -> namesBlocks ? Sqe.CDW10_OFFSET : NO_LOCATION;
            case Status.SGL_SEGMENT_DESCRIPTOR_INVALID,
                    Status.SGL_DESCRIPTOR_COUNT_INVALID,
                    Status.SGL_DATA_LENGTH_INVALID,
                    Status.SGL_TYPE_INVALID,
                    Status.SGL_OFFSET_INVALID -> Sqe.SGL1_OFFSET;
            default -> NO_LOCATION;
        };
    }
}
