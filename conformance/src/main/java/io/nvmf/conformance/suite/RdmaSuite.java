package io.nvmf.conformance.suite;

import io.nvmf.codec.rdma.ConnectRequestData;
import io.nvmf.codec.rdma.RejectReason;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Bench;
import io.nvmf.conformance.Suite;
import io.nvmf.initiator.raw.CmAnswer;
import io.nvmf.initiator.raw.RawRdma;
import io.nvmf.initiator.raw.RdmaQueue;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Collectors;

/** What the suites about NVMe/RDMA share. */
abstract class RdmaSuite extends Suite {
    /** Asks for a connection as the private data says. */
    final CmAnswer ask(int recordFormat, int queueId, int hrqsize, int hsqsize, int reads) throws IOException {
        return ask(bench().rdmaConnection(), RawRdma.request(recordFormat, queueId, hrqsize, hsqsize), reads);
    }

    /** Asks for an admin queue. */
    final CmAnswer askAdmin(int hrqsize, int hsqsize) throws IOException {
        return ask(ConnectRequestData.RECORD_FORMAT, 0, hrqsize, hsqsize, Bench.RDMA_READS);
    }

    final CmAnswer ask(RawRdma connection, byte[] privateData, int reads) throws IOException {
        return connection.connect(privateData, reads, Association.DEPTH, answerMs());
    }

    /** Fails unless the target's program has rejected, for one of these reasons where that is told. */
    final void expectRejected(CmAnswer answer, RejectReason... reasons) {
        expect(answer.kind() == CmAnswer.Kind.REJECTED, "RDMA_CM_REJECT" + named(reasons), answer);
        if (answer.rejected() != null) {
            expectEquals(ConnectRequestData.RECORD_FORMAT, answer.rejected().recordFormat(), "RECFMT of the rejection");
            expect(isOneOf(answer, reasons), "RDMA_CM_REJECT" + named(reasons), answer);
        }
    }

    final boolean isOneOf(CmAnswer answer, RejectReason... reasons) {
        int status = answer.rejected().status();
        return Arrays.stream(reasons).anyMatch(reason -> reason.code() == status);
    }

    private static String named(RejectReason... reasons) {
        return Arrays.stream(reasons)
                .map(reason -> String.valueOf(reason.code()))
                .collect(Collectors.joining(" or ", " with STS ", ""));
    }

    /** Waits until the target ends the connection. */
    final void expectEnded(RdmaQueue queue) throws IOException {
        expect(
                queue.rdma().awaitEnd(endMs()),
                "the end of the connection within " + endMs() + " ms",
                queue.rdma().state());
    }

    /** Another I/O queue of the controller. */
    final RdmaQueue io(Association association, int depth) throws IOException {
        return (RdmaQueue) association.io(depth);
    }

    final RdmaQueue io(Association association) throws IOException {
        return io(association, Association.DEPTH);
    }
}
