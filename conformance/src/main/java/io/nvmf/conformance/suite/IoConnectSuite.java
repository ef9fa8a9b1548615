package io.nvmf.conformance.suite;

import io.nvmf.codec.Nqn;
import io.nvmf.codec.Status;
import io.nvmf.codec.fabrics.ConnectCommand;
import io.nvmf.codec.fabrics.ConnectData;
import io.nvmf.codec.fabrics.ConnectResponse;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.feature.FeatureId;
import io.nvmf.codec.feature.NumberOfQueues;
import io.nvmf.codec.log.TransportType;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Bench;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.ConnectSpec;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.RawQueue;
import io.nvmf.initiator.raw.RdmaQueue;
import java.io.IOException;
import java.util.UUID;

/** Connect of I/O queues. */
@SuiteName("FABRICS.IOCONNECT")
public final class IoConnectSuite extends FabricsSuite {
    private static final String CONNECT = "NVMe Base 2.0 s6.3";
    private static final int ATTEMPTS = 20;

    @Check(
            says = "Connect of I/O queue 1: success, the CNTLID of the admin queue, and the queue works",
            source = CONNECT)
    void firstQueue() throws IOException {
        Association association = associateForIo();
        RawQueue io = bench().queue(1, Association.DEPTH);
        Answer answer = expectSuccess(bench().connect(io, association.ioSpec(1)), "Connect of I/O queue 1");
        expectEquals(association.controllerId(), ConnectResponse.controllerId(answer.dw0()), "CNTLID");
        expectServes(io);
    }

    // ---- SQSIZE

    @Check(says = "SQSIZE MQES: the I/O queue works", source = CONNECT)
    void sqsizeMost() throws IOException {
        expectServes(associateForIo().io(facts().maxQueueEntries()));
    }

    @Check(says = "SQSIZE MQES + 1: Invalid Parameters, IPO 44 in the command", source = CONNECT)
    void sqsizeTooMany() throws IOException {
        skipUnless(facts().maxQueueEntries() <= 0xFFFF, "MQES is the largest there is");
        Association association = associateForIo();
        ConnectSpec spec = association.ioSpec(1).sqSizeZeroBased(facts().maxQueueEntries());
        expectInvalid(tryConnect(1, spec), false, ConnectCommand.SQ_SIZE_OFFSET);
    }

    @Check(says = "SQSIZE 0 of an I/O queue: Invalid Parameters, IPO 44 in the command", source = CONNECT)
    void sqsizeZero() throws IOException {
        Association association = associateForIo();
        ConnectSpec spec = association.ioSpec(1).sqSizeZeroBased(0);
        expectInvalid(tryConnect(1, spec), false, ConnectCommand.SQ_SIZE_OFFSET);
    }

    // ---- QID

    @Check(says = "A QID beyond those that Number of Queues gave: refused", source = CONNECT)
    void queueIdBeyond() throws IOException {
        Association association = associateForIo();
        Answer queues = expectSuccess(
                setFeature(association, FeatureId.NUMBER_OF_QUEUES, NumberOfQueues.encode(1)), "Number of Queues");
        int given = NumberOfQueues.submissionQueues(queues.dw0());
        skipUnless(given < 0xFFFF, "every QID is given");
        expectNoSuchQueue(association, given + 1);
    }

    @Check(says = "QID FFFFh: refused", source = CONNECT)
    void queueIdLast() throws IOException {
        expectNoSuchQueue(associateForIo(), 0xFFFF);
    }

    private void expectNoSuchQueue(Association association, int queueId) throws IOException {
        RawQueue io = queueUnlessRefused(queueId);
        if (io != null) {
            expectStatus(
                    bench().connect(io, association.ioSpec(queueId)),
                    Status.CONNECT_INVALID_PARAMETERS,
                    Status.INVALID_QUEUE_IDENTIFIER);
        }
    }

    /** Over RDMA the connection itself is asked for with the QID, and may be refused for it: then null. */
    private RawQueue queueUnlessRefused(int queueId) throws IOException {
        if (bench().target().transport() != TransportType.RDMA) {
            return bench().queue(queueId, Association.DEPTH);
        }
        RdmaQueue queue = bench().rdmaQueue(queueId);
        return queue.initialize(Association.DEPTH, Bench.RDMA_READS, answerMs()).isAccepted() ? queue : null;
    }

    @Check(says = "A QID in use: refused, and the queue that has it works on", source = CONNECT)
    void queueIdInUse() throws IOException {
        Association association = associateForIo();
        RawQueue io = association.io();
        expectStatus(
                tryConnect(1, association.ioSpec(1)),
                Status.COMMAND_SEQUENCE_ERROR,
                Status.CONNECT_INVALID_PARAMETERS,
                Status.INVALID_QUEUE_IDENTIFIER);
        expectServes(io);
    }

    @Check(
            says = "A QID whose connection was just closed: accepted again within a second",
            source = "hosts replace a single queue",
            level = Level.SHOULD)
    void queueIdAgain() throws IOException {
        Association association = associateForIo();
        association.io(1, Association.DEPTH).close();
        Answer answer = null;
        for (int i = 0; i < ATTEMPTS && (answer == null || !answer.isSuccess()); i++) {
            pause(i == 0 ? 0 : 50);
            RawQueue io = bench().queue(1, Association.DEPTH);
            answer = bench().connect(io, association.ioSpec(1));
            if (answer.isSuccess()) {
                expectServes(io);
            }
        }
        expectSuccess(answer, "Connect of I/O queue 1 within a second of the end of its last connection");
    }

    // ---- whose it is

    @Check(says = "A CNTLID that no controller has: Invalid Parameters, IPO 16 in the data", source = CONNECT)
    void unknownController() throws IOException {
        Association association = associateForIo();
        int unknown = association.controllerId() == 0xFFEF ? 0xFFEE : 0xFFEF;
        ConnectSpec spec = association.ioSpec(1).controllerId(unknown);
        expectInvalid(tryConnect(1, spec), true, ConnectData.CONTROLLER_ID_OFFSET);
    }

    @Check(
            says = "The CNTLID of another host's controller: refused",
            source = "NVMe Base 2.0 s6.3, HOSTNQN",
            needs = Needs.DISRUPTION)
    void controllerOfOtherHost() throws IOException {
        Association association = associateForIo();
        UUID other = new UUID(bench().target().seed(), 100);
        ConnectSpec spec = association.ioSpec(1).hostId(other).hostNqn(Nqn.UUID_PREFIX + other);
        Answer answer = expectStatus(
                tryConnect(1, spec), Status.CONNECT_INVALID_PARAMETERS, Status.CONNECT_INVALID_HOST, Status.SUCCESS);
        if (answer.isSuccess()) {
            deviates("gives a host a queue of another host's controller", "SPDK");
        }
        expectServes(association.io(2, Association.DEPTH));
    }

    @Check(
            says = "HOSTNQN of the admin queue, another HOSTID: accepted, or Invalid Parameters",
            source = CONNECT,
            level = Level.INFO)
    void otherHostId() throws IOException {
        Association association = associateForIo();
        ConnectSpec spec =
                association.ioSpec(1).hostId(new UUID(bench().target().seed(), 101));
        expectStatus(
                tryConnect(1, spec), Status.SUCCESS, Status.CONNECT_INVALID_PARAMETERS, Status.CONNECT_INVALID_HOST);
    }

    @Check(says = "The CNTLID of a discovery controller: Invalid Parameters", source = CONNECT)
    void controllerOfDiscovery() throws IOException {
        RawQueue admin = bench().queue(0, Association.DEPTH);
        Answer discovery = bench().connect(admin, bench().connectSpec(Nqn.DISCOVERY));
        skipUnless(discovery.isSuccess(), "the address does not offer discovery");
        int id = ConnectResponse.controllerId(discovery.dw0());
        Association association = associateForIo();
        skipUnless(association.controllerId() != id, "the subsystem has a controller with the same CNTLID");
        expectStatus(tryConnect(1, association.ioSpec(1).controllerId(id)), Status.CONNECT_INVALID_PARAMETERS);
    }

    // ---- when

    @Check(
            says = "Connect of an I/O queue before CC.EN: refused, or the queue does nothing yet",
            source = "NVMe Base 2.0 s3.5.2",
            level = Level.INFO)
    void beforeEnable() throws IOException {
        skipUnless(!facts().isDiscovery(), "a discovery controller has no I/O queues");
        Association association = bench().associate(connect());
        RawQueue io = bench().queue(1, Association.DEPTH);
        Answer answer = bench().connect(io, association.ioSpec(1));
        expect(answer.isCompleted(), "an answer to Connect", answer);
        if (answer.isSuccess()) {
            expectServesNot(io, "before CC.EN");
        }
        association.property(Property.CSTS);
    }

    @Check(
            says = "Connect of an I/O queue after the admin queue was closed: an error or the end, and no harm done",
            source = CONNECT,
            level = Level.ROBUST)
    void afterAdminQueue() throws IOException {
        Association association = associateForIo();
        RawQueue io = bench().queue(1, Association.DEPTH);
        association.admin().close();
        // The target may hear of the one connection later than of the other.
        pause(200);
        Answer answer = bench().connect(io, association.ioSpec(1));
        expect(
                answer.kind() != Answer.Kind.SILENCE && !answer.isSuccess(),
                "an error or the end of the connection",
                answer);
        expectAlive();
    }

    @Check(
            says = "Connect of an I/O queue while the admin queue is closed: no queue is left without a controller",
            source = CONNECT,
            level = Level.ROBUST)
    void whileAdminQueueEnds() throws IOException {
        Association association = associateForIo();
        RawQueue io = bench().queue(1, Association.DEPTH);
        ConnectSpec spec = association.ioSpec(1);
        int commandId = io.submit(spec.sqe(), spec.payload());
        association.admin().close();
        Answer answer = io.await(commandId, answerMs());
        expect(answer.kind() != Answer.Kind.SILENCE, "an answer or the end of the connection", answer);
        expect(!answer.isSuccess() || endsWithin(io, answerMs()), "the end of the I/O queue", "an open connection");
        expectAlive();
    }

    @Check(says = "KATO in Connect of an I/O queue: ignored", source = "NVMe Base 2.0 s6.3, KATO", level = Level.INFO)
    void keepAliveTimeout() throws IOException {
        Association association = associateForIo();
        long before = feature(association, FeatureId.KEEP_ALIVE_TIMER);
        expectSuccess(tryConnect(1, association.ioSpec(1).keepAliveTimeoutMs(5_000)), "Connect with KATO 5000");
        expectEquals(before, feature(association, FeatureId.KEEP_ALIVE_TIMER), "the keep alive timeout stays");
    }

    @Check(says = "The admin queue is closed: its I/O queues end", source = "NVMe Base 2.0 s3.3.1.4")
    void endsWithAdminQueue() throws IOException {
        Association association = associateForIo();
        RawQueue io = association.io();
        association.admin().close();
        expect(endsWithin(io, answerMs()), "the end of the I/O queue", "an open connection");
    }
}
