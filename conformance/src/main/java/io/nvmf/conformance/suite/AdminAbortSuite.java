package io.nvmf.conformance.suite;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.identify.Cns;
import io.nvmf.codec.identify.IdentifyController.Field;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.RawQueue;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Abort: what it says became of a command is what became of it. */
@SuiteName("ADMIN.ABORT")
public final class AdminAbortSuite extends AdminSuite {
    private static final int NO_SUCH_COMMAND = 0xEEEE;
    private static final int NO_SUCH_QUEUE = 0x7FFF;

    static Sqe abort(int queueId, int commandId) {
        return Sqe.allocate().clear(Opcode.Admin.ABORT).cdw(10, (long) commandId << 16 | queueId);
    }

    // ---- nothing to abort

    @Check(says = "Abort of a CID that is not outstanding: success, and DW0 bit 0 set", source = "NVMe Base 2.0 s5.1")
    void unknownCommand() throws IOException {
        expectNotAborted(associate().admin(abort(0, NO_SUCH_COMMAND)));
    }

    @Check(
            says = "Abort on a queue that is not there: success and DW0 bit 0 set, or 0/02h",
            source = "NVMe Base 2.0 s5.1")
    void unknownQueue() throws IOException {
        Answer answer = associate().admin(abort(NO_SUCH_QUEUE, NO_SUCH_COMMAND));
        if (!isUnsupported(answer)) {
            expectNotAborted(answer);
        }
    }

    @Check(
            says = "Abort of a command that has been answered: success, and DW0 bit 0 set",
            source = "NVMe Base 2.0 s5.1; hosts abort late")
    void completedCommand() throws IOException {
        Association association = associate();
        Answer answer = expectSuccess(association.identify(Cns.CONTROLLER, 0), "Identify");
        skipUnless(answer.completion() != null, "the CID of the answer is not known");
        expectNotAborted(association.admin(abort(0, answer.completion().commandId())));
        controllerOf(association);
    }

    @Check(
            says = "ACL + 2 Aborts at once: each is served, or refused with 1/03h",
            source = "NVMe Base 2.0 s5.1",
            level = Level.INFO)
    void limit() throws IOException {
        long aborts = facts().controller().get(Field.ACL) + 2;
        skipUnless(aborts < Association.DEPTH, "ACL allows more than the queue has entries for");
        RawQueue admin = associate().admin();
        List<Integer> commandIds = new ArrayList<>();
        for (int i = 0; i < aborts; i++) {
            commandIds.add(admin.submit(abort(0, NO_SUCH_COMMAND - i), Payload.NONE));
        }
        for (int commandId : commandIds) {
            expectStatus(admin.await(commandId, answerMs()), Status.SUCCESS, Status.ABORT_COMMAND_LIMIT_EXCEEDED);
        }
    }

    // ---- a request for events

    @Check(
            says = "Abort of an Asynchronous Event Request: DW0 bit 0 clear, and the request ends with 0/07h",
            source = "NVMe Base 2.0 s5.1",
            level = Level.SHOULD)
    void eventRequest() throws IOException {
        Association association = associate();
        RawQueue admin = association.admin();
        int request = admin.submit(Sqe.allocate().clear(Opcode.Admin.ASYNC_EVENT_REQUEST), Payload.NONE);
        Answer answer = expectSuccess(association.admin(abort(0, request)), "Abort");
        if ((answer.dw0() & NOT_ABORTED) == 0) {
            expectStatus(admin.await(request, answerMs()), Status.ABORT_REQUESTED);
        } else {
            expect(!admin.isAnswered(request), "the request outstanding, as DW0 bit 0 says", "its answer");
            deviates("the request is not aborted", LINUX);
        }
    }
}
