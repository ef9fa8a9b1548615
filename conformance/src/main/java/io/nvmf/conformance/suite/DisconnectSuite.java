package io.nvmf.conformance.suite;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.fabrics.ConnectCommand;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.identify.IdentifyController.Field;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.RawQueue;
import java.io.IOException;

/** The Disconnect command, which is optional (OFCS bit 0). */
@SuiteName("FABRICS.DISCONNECT")
public final class DisconnectSuite extends FabricsSuite {
    private static final String DISCONNECT = "NVMe Base 2.0 s6.4";
    private static final String NOT_OFFERED = "the target does not offer Disconnect";

    @Check(
            says = "Disconnect on an I/O queue: success, and the queue does nothing any more",
            source = DISCONNECT,
            level = Level.SHOULD)
    void ioQueue() throws IOException {
        skipUnless(isOffered(), NOT_OFFERED);
        Association association = associateForIo();
        RawQueue io = association.io();
        expectSuccess(execute(io, disconnect()), "Disconnect");
        expect(endsWithin(io, answerMs()) || !flush(io).isSuccess(), "the end of the queue", "a queue that works");
        association.property(Property.CSTS);
    }

    @Check(says = "Disconnect, and the same QID again: accepted", source = DISCONNECT, level = Level.SHOULD)
    void connectAgain() throws IOException {
        skipUnless(isOffered(), NOT_OFFERED);
        Association association = associateForIo();
        RawQueue io = association.io(1, Association.DEPTH);
        expectSuccess(execute(io, disconnect()), "Disconnect");
        io.close();
        expectServes(association.io(1, Association.DEPTH));
    }

    @Check(
            says = "Disconnect with RECFMT 1: Incompatible Format, and the queue works on",
            source = DISCONNECT,
            level = Level.SHOULD)
    void recordFormatOne() throws IOException {
        skipUnless(isOffered(), NOT_OFFERED);
        RawQueue io = associateForIo().io();
        Sqe sqe = disconnect();
        sqe.buffer().putShort(ConnectCommand.RECORD_FORMAT_OFFSET, (short) 1);
        expectStatus(execute(io, sqe), Status.CONNECT_INCOMPATIBLE_FORMAT);
        expectServes(io);
    }

    @Check(
            says = "Disconnect that is not offered: Invalid Opcode or Invalid Field, and the I/O queue works on",
            source = DISCONNECT,
            level = Level.SHOULD)
    void notOffered() throws IOException {
        skipUnless(!isOffered(), "the target offers Disconnect");
        RawQueue io = associateForIo().io();
        expectStatus(execute(io, disconnect()), Status.INVALID_OPCODE, Status.INVALID_FIELD);
        expectServes(io);
    }

    @Check(
            says = "Disconnect on an admin queue: refused, and the controller works on",
            source = DISCONNECT,
            level = Level.SHOULD)
    void adminQueue() throws IOException {
        Association association = associate();
        if (isOffered()) {
            expectStatus(association.admin(disconnect()), Status.DISCONNECT_INVALID_QUEUE_TYPE);
        } else {
            expectStatus(
                    association.admin(disconnect()),
                    Status.INVALID_OPCODE,
                    Status.INVALID_FIELD,
                    Status.DISCONNECT_INVALID_QUEUE_TYPE);
        }
        association.property(Property.CSTS);
    }

    private boolean isOffered() {
        return facts().controller().has(Field.OFCS, 1);
    }
}
