package io.nvmf.conformance.suite;

import static io.nvmf.codec.rdma.RejectReason.INVALID_HRQSIZE;
import static io.nvmf.codec.rdma.RejectReason.INVALID_HSQSIZE;
import static io.nvmf.codec.rdma.RejectReason.INVALID_IRD;
import static io.nvmf.codec.rdma.RejectReason.INVALID_PRIVATE_DATA_LENGTH;
import static io.nvmf.codec.rdma.RejectReason.INVALID_QUEUE_ID;
import static io.nvmf.codec.rdma.RejectReason.INVALID_RECORD_FORMAT;
import static io.nvmf.codec.rdma.RejectReason.NO_RESOURCES;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.fabrics.PropertyCommand;
import io.nvmf.codec.rdma.ConnectRequestData;
import io.nvmf.codec.rdma.RejectReason;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Bench;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.CmAnswer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.RawRdma;
import io.nvmf.initiator.raw.RdmaQueue;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** How a connection over RDMA begins: the communication manager's request, and what the target says to it. */
@SuiteName(value = "RDMA.CM", over = SuiteName.Over.RDMA, subsystem = false)
public final class RdmaCmSuite extends RdmaSuite {
    private static final String SOURCE = "NVMe-oF 1.1 s7.3";
    private static final int CONTROLLER_ID_OFFSET = 8;

    // ---- accepted

    @Check(
            says = "An admin queue of 32 entries: RDMA_CM_ACCEPT with RECFMT 0 and CRQSIZE of at least 1",
            source = SOURCE)
    void adminQueue() throws IOException {
        CmAnswer answer = askAdmin(Association.DEPTH, Association.DEPTH - 1);
        expectAccepted(answer);
        skipUnless(answer.accepted() != null, "RDMA here does not tell what a target accepts with");
    }

    private void expectAccepted(CmAnswer answer) {
        expect(answer.isAccepted(), "RDMA_CM_ACCEPT", answer);
        if (answer.accepted() != null) {
            expectEquals(ConnectRequestData.RECORD_FORMAT, answer.accepted().recordFormat(), "RECFMT");
            expect(answer.accepted().receiveQueueEntries() >= 1, "CRQSIZE of at least 1", answer);
        }
    }

    @Check(
            says = "A request for an I/O queue that names its controller: RDMA_CM_ACCEPT, and Connect succeeds",
            source = "newer Linux hosts send CNTLID, and give up when it is refused")
    void controllerIdInRequest() throws IOException {
        skipUnlessSubsystem();
        Association association = associate();
        byte[] request = RawRdma.request(0, 1, Association.DEPTH, Association.DEPTH - 1);
        ByteBuffer.wrap(request).order(ByteOrder.LITTLE_ENDIAN).putShort(CONTROLLER_ID_OFFSET, (short)
                association.controllerId());
        RdmaQueue queue = bench().rdmaQueue(1);
        expectAccepted(ask(queue.rdma(), request, Bench.RDMA_READS));
        expectSuccess(bench().connect(queue, association.ioSpec(1)), "Connect of I/O queue 1");
    }

    @Check(
            says = "20 connections that end right after RDMA_CM_ACCEPT: the next one works",
            source = "a host that dies at once leaves nothing behind",
            level = Level.ROBUST)
    void abandoned() throws IOException {
        for (int i = 0; i < 20; i++) {
            RawRdma connection = bench().rdmaConnection();
            expectAccepted(
                    ask(connection, RawRdma.request(0, 0, Association.DEPTH, Association.DEPTH - 1), Bench.RDMA_READS));
            connection.disconnect();
        }
        expectAlive();
    }

    // ---- the private data

    @Check(says = "A request without private data: RDMA_CM_REJECT", source = SOURCE)
    void noPrivateData() throws IOException {
        CmAnswer answer = ask(bench().rdmaConnection(), new byte[0], Bench.RDMA_READS);
        if (answer.isAccepted()) {
            // InfiniBand and RoCE pad with zeros: RECFMT 0, and sizes of 0.
            deviates("sizes of 0 are accepted", "Linux nvmet");
            return;
        }
        expectRejected(answer, INVALID_PRIVATE_DATA_LENGTH, INVALID_HSQSIZE, INVALID_HRQSIZE, NO_RESOURCES);
    }

    @Check(
            says = "A request with 16 bytes of private data: RDMA_CM_REJECT, or RDMA_CM_ACCEPT where zeros pad it",
            source = SOURCE,
            level = Level.ROBUST)
    void shortPrivateData() throws IOException {
        byte[] request = RawRdma.request(0, 0, Association.DEPTH, Association.DEPTH - 1);
        CmAnswer answer = ask(bench().rdmaConnection(), Arrays.copyOf(request, 16), Bench.RDMA_READS);
        expectAcceptedOrRejected(answer, INVALID_PRIVATE_DATA_LENGTH);
        expectAlive();
    }

    private void expectAcceptedOrRejected(CmAnswer answer, RejectReason... reasons) {
        if (answer.isAccepted()) {
            expectAccepted(answer);
        } else {
            expectRejected(answer, reasons);
        }
    }

    @Check(says = "RECFMT 1: RDMA_CM_REJECT with STS 2", source = SOURCE)
    void recordFormatOne() throws IOException {
        expectRejected(ask(1, 0, Association.DEPTH, Association.DEPTH - 1, Bench.RDMA_READS), INVALID_RECORD_FORMAT);
        expectAlive();
    }

    @Check(
            says = "A request for QID FFFFh: RDMA_CM_REJECT with STS 3, or its Connect fails",
            source = SOURCE,
            level = Level.INFO)
    void queueIdUnknown() throws IOException {
        skipUnlessSubsystem();
        Association association = associate();
        RdmaQueue queue = bench().rdmaQueue(0xFFFF);
        CmAnswer answer = queue.initialize(Association.DEPTH, Bench.RDMA_READS, answerMs());
        if (!answer.isAccepted()) {
            expectRejected(answer, INVALID_QUEUE_ID);
            return;
        }
        expectError(bench().connect(queue, association.ioSpec(0xFFFF)), "Connect of QID FFFFh");
    }

    private void expectError(Answer answer, String what) {
        expect(answer.isCompleted() && !answer.isSuccess(), "an error of " + what, answer);
    }

    private void skipUnlessSubsystem() {
        skipUnless(!bench().target().subsystemNqn().isEmpty(), "the URI names no subsystem");
    }

    // ---- sizes

    @Check(
            says = "HSQSIZE 0: RDMA_CM_REJECT with STS 4, or RDMA_CM_ACCEPT with CRQSIZE of at least 1",
            source = SOURCE,
            level = Level.SHOULD)
    void hsqsizeZero() throws IOException {
        expectAcceptedOrRejected(ask(0, 1, 1, 0, Bench.RDMA_READS), INVALID_HSQSIZE, NO_RESOURCES);
    }

    @Check(
            says =
                    "HSQSIZE and HRQSIZE of 65535: RDMA_CM_REJECT with STS 4, 5 or 6, or RDMA_CM_ACCEPT with CRQSIZE of at least 1",
            source = SOURCE,
            level = Level.SHOULD)
    void hsqsizeLargest() throws IOException {
        CmAnswer answer = ask(0, 1, 0xFFFF, 0xFFFF, Bench.RDMA_READS);
        expectAcceptedOrRejected(answer, INVALID_HSQSIZE, INVALID_HRQSIZE, NO_RESOURCES);
        expectAlive();
    }

    @Check(
            says = "An admin queue of 128 entries: RDMA_CM_ACCEPT, or RDMA_CM_REJECT with STS 4",
            source = "hosts' admin queues have 32 entries",
            level = Level.INFO)
    void adminQueueDeeper() throws IOException {
        expectAcceptedOrRejected(askAdmin(128, 127), INVALID_HSQSIZE, NO_RESOURCES);
    }

    @Check(
            says =
                    "HRQSIZE 4 with HSQSIZE 31: RDMA_CM_REJECT with STS 5, or what CRQSIZE allows is answered in 4 places",
            source = SOURCE,
            level = Level.SHOULD)
    void hrqsizeSmaller() throws IOException {
        RdmaQueue queue = bench().rdmaQueue(0);
        CmAnswer answer =
                queue.rdma().connect(RawRdma.request(0, 0, 4, Association.DEPTH - 1), Bench.RDMA_READS, 4, answerMs());
        if (!answer.isAccepted()) {
            expectRejected(answer, INVALID_HRQSIZE);
            return;
        }
        skipUnlessSubsystem();
        int most = answer.accepted() == null
                ? 4
                : Math.min(Association.DEPTH, answer.accepted().receiveQueueEntries());
        expectSuccess(bench().connect(queue, connect().sqSizeZeroBased(most - 1)), "Connect");
        queue.holdCapsules(true);
        List<Integer> commands = new ArrayList<>();
        for (int i = 0; i < most; i++) {
            Sqe sqe = Sqe.allocate();
            PropertyCommand.encodeGet(sqe, Property.VS);
            commands.add(queue.submit(sqe, Payload.NONE));
        }
        queue.holdCapsules(false);
        for (int commandId : commands) {
            expectSuccess(queue.await(commandId, answerMs()), "Property Get of VS");
        }
    }

    @Check(says = "HRQSIZE 0: RDMA_CM_REJECT with STS 5", source = SOURCE, level = Level.SHOULD)
    void hrqsizeZero() throws IOException {
        CmAnswer answer = askAdmin(0, Association.DEPTH - 1);
        if (answer.isAccepted()) {
            deviates("a queue without room for a response is accepted", "Linux nvmet");
            return;
        }
        expectRejected(answer, INVALID_HRQSIZE, NO_RESOURCES);
    }

    @Check(
            says = "A request that allows no RDMA READ: RDMA_CM_REJECT with STS 7, or RDMA_CM_ACCEPT",
            source = SOURCE,
            level = Level.INFO)
    void noReads() throws IOException {
        expectAcceptedOrRejected(ask(0, 0, Association.DEPTH, Association.DEPTH - 1, 0), INVALID_IRD);
    }

    // ---- Connect on it

    @Check(says = "Connect with SQSIZE 31 on a connection of HSQSIZE 15: an error", source = SOURCE)
    void sqsizeBeyondHsqsize() throws IOException {
        skipUnlessSubsystem();
        RdmaQueue queue = bench().rdma(0, 16, Bench.RDMA_READS);
        Answer answer = bench().connect(queue, connect());
        if (answer.isSuccess()) {
            deviates("SQSIZE is not held against HSQSIZE", "SPDK");
            return;
        }
        expectError(answer, "Connect");
    }

    @Check(says = "Connect of QID 1 on a connection that was asked for QID 0: an error", source = SOURCE)
    void queueIdDiffers() throws IOException {
        skipUnlessSubsystem();
        Association association = associate();
        RdmaQueue queue = bench().rdma(0, Association.DEPTH, Bench.RDMA_READS);
        Answer answer = bench().connect(queue, association.ioSpec(1));
        if (answer.isSuccess()) {
            deviates("QID is not held against the request for the connection", "SPDK");
            return;
        }
        expectError(answer, "Connect");
    }
}
