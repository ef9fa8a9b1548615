package io.nvmf.conformance.suite;

import io.nvmf.codec.Nqn;
import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.fabrics.ConnectCommand;
import io.nvmf.codec.fabrics.ConnectData;
import io.nvmf.codec.fabrics.ConnectResponse;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.identify.Cns;
import io.nvmf.codec.identify.IdentifyCommand;
import io.nvmf.codec.identify.IdentifyController.Field;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.ConnectSpec;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.RawQueue;
import java.io.IOException;
import java.util.Arrays;
import java.util.UUID;

/** Connect of admin queues; the names in it are in {@link ConnectNamesSuite}. */
@SuiteName("FABRICS.CONNECT")
public final class ConnectSuite extends FabricsSuite {
    private static final String CONNECT = "NVMe Base 2.0 s6.3";
    private static final int LAST_CONTROLLER_ID = 0xFFEF;
    /** AUTHREQ: a transaction is wanted now, or after the secure channel. */
    private static final int AUTHENTICATION_BITS = 6;

    private static final int RESERVED_ATTRIBUTES = 0xE0;
    private static final int TIMES = 256;
    private static final int HOSTS = 64;

    @Check(says = "Connect of an admin queue: a CNTLID from 1 to FFEFh", source = CONNECT)
    void controllerId() throws IOException {
        int id = ConnectResponse.controllerId(connected(connect()).dw0());
        expect(id >= 1 && id <= LAST_CONTROLLER_ID, "a CNTLID from 1 to FFEFh", hex(id));
    }

    private Answer connected(ConnectSpec spec) throws IOException {
        return expectSuccess(tryConnect(spec), "Connect of the admin queue");
    }

    @Check(says = "Connect of an admin queue: reserved bits of the answer are 0", source = CONNECT)
    void reservedBits() throws IOException {
        Answer answer = connected(connect());
        int authentication = ConnectResponse.authenticationRequired(answer.dw0());
        expectEquals(0, authentication & ~AUTHENTICATION_BITS, "reserved bits of AUTHREQ");
        expectEquals(0, answer.result() >>> 32, "DW1");
    }

    @Check(says = "Two admin queues at once: controllers with different CNTLID", source = CONNECT)
    void twoControllers() throws IOException {
        int first = ConnectResponse.controllerId(connected(connect()).dw0());
        int second = ConnectResponse.controllerId(connected(connect()).dw0());
        expect(first != second, "a CNTLID other than " + hex(first), hex(second));
    }

    // ---- the command

    @Check(says = "RECFMT 1: Incompatible Format", source = CONNECT)
    void recordFormatOne() throws IOException {
        expectStatus(tryConnect(connect().recordFormat(1)), Status.CONNECT_INCOMPATIBLE_FORMAT);
    }

    @Check(says = "SQSIZE 0: Invalid Parameters, IPO 44 in the command", source = CONNECT)
    void sqsizeZero() throws IOException {
        expectInvalid(tryConnect(connect().sqSizeZeroBased(0)), false, ConnectCommand.SQ_SIZE_OFFSET);
    }

    @Check(says = "SQSIZE 1: the admin queue of two entries works beyond its end", source = CONNECT)
    void sqsizeOne() throws IOException {
        worksWithSqSize(1);
    }

    @Check(says = "SQSIZE 15: the admin queue works beyond its end", source = "the ESXi host asks for 16 entries")
    void sqsize15() throws IOException {
        worksWithSqSize(15);
    }

    @Check(says = "SQSIZE 31: the admin queue works beyond its end", source = "the Linux host asks for 32 entries")
    void sqsize31() throws IOException {
        worksWithSqSize(31);
    }

    private void worksWithSqSize(int sqSize) throws IOException {
        Association association = bench().associate(connect().sqSizeZeroBased(sqSize));
        for (int i = 0; i < 2 * sqSize + 2; i++) {
            association.property(Property.VS);
        }
    }

    @Check(says = "Reserved bits of CATTR set: ignored", source = CONNECT, level = Level.SHOULD)
    void reservedAttributes() throws IOException {
        connected(connect().attributes(RESERVED_ATTRIBUTES));
    }

    @Check(
            says = "SQ flow control disabled: the queue works beyond its end",
            source = "NVMe Base 2.0 s3.3.1.2.1",
            level = Level.SHOULD)
    void flowControlDisabled() throws IOException {
        Association association = bench().associate(connect().attributes(ConnectCommand.DISABLE_SQ_FLOW_CONTROL));
        for (int i = 0; i < 3 * Association.DEPTH; i++) {
            association.property(Property.VS);
        }
    }

    // ---- the data

    @Check(says = "CNTLID 0 under the dynamic model: Invalid Parameters, IPO 16 in the data", source = CONNECT)
    void controllerIdZero() throws IOException {
        expectNotDynamic(0);
    }

    @Check(says = "CNTLID 5 under the dynamic model: Invalid Parameters, IPO 16 in the data", source = CONNECT)
    void controllerIdGiven() throws IOException {
        expectNotDynamic(5);
    }

    @Check(says = "CNTLID FFFEh under the dynamic model: Invalid Parameters, IPO 16 in the data", source = CONNECT)
    void controllerIdStatic() throws IOException {
        expectNotDynamic(0xFFFE);
    }

    private void expectNotDynamic(int controllerId) throws IOException {
        skipUnless(!facts().controller().has(Field.FCATT, 1), "the target has the static controller model");
        expectInvalid(tryConnect(connect().controllerId(controllerId)), true, ConnectData.CONTROLLER_ID_OFFSET);
    }

    @Check(says = "HOSTID 0: accepted, or refused as it is", source = CONNECT, level = Level.INFO)
    void hostIdZero() throws IOException {
        expectStatus(
                tryConnect(connect().hostId(new UUID(0, 0))),
                Status.SUCCESS,
                Status.CONNECT_INVALID_PARAMETERS,
                Status.CONNECT_INVALID_HOST,
                Status.HOST_ID_NOT_INITIALIZED);
    }

    @Check(
            says = "A HOSTID in use, with another HOSTNQN: accepted or refused, and the first controller works on",
            source = CONNECT,
            level = Level.INFO,
            needs = Needs.DISRUPTION)
    void hostIdOfOtherHost() throws IOException {
        Association first = associate();
        expectStatus(
                tryConnect(connect()
                        .hostNqn(Nqn.UUID_PREFIX + new UUID(bench().target().seed(), 95))),
                Status.SUCCESS,
                Status.CONNECT_INVALID_PARAMETERS,
                Status.CONNECT_INVALID_HOST);
        first.property(Property.CSTS);
    }

    @Check(says = "No data: refused", source = CONNECT)
    void noData() throws IOException {
        expectTooShort(0);
    }

    @Check(says = "512 bytes of data: refused", source = CONNECT)
    void halfOfTheData() throws IOException {
        expectTooShort(512);
    }

    @Check(says = "1023 bytes of data: refused", source = CONNECT)
    void oneByteShort() throws IOException {
        expectTooShort(ConnectData.BYTES - 1);
    }

    private void expectTooShort(int lengthBytes) throws IOException {
        expectStatus(
                connectWithData(lengthBytes),
                Status.SGL_DATA_LENGTH_INVALID,
                Status.INVALID_FIELD,
                Status.CONNECT_INVALID_PARAMETERS);
    }

    @Check(says = "1025 bytes of data: refused, or the last one ignored", source = CONNECT, level = Level.ROBUST)
    void oneByteLong() throws IOException {
        expectStatus(
                connectWithData(ConnectData.BYTES + 1),
                Status.SUCCESS,
                Status.SGL_DATA_LENGTH_INVALID,
                Status.INVALID_FIELD,
                Status.CONNECT_INVALID_PARAMETERS);
        expectAlive();
    }

    private Answer connectWithData(int lengthBytes) throws IOException {
        ConnectSpec spec = connect();
        byte[] data = Arrays.copyOf(spec.payload().out(), lengthBytes);
        return execute(bench().queue(0, Association.DEPTH), spec.sqe(), Payload.inCapsule(data));
    }

    // ---- the order of commands

    @Check(says = "Connect on a connected admin queue: refused", source = CONNECT)
    void connectTwice() throws IOException {
        ConnectSpec spec = connect();
        Association association = bench().associate(spec);
        Answer answer = expectStatus(
                execute(association.admin(), spec.sqe(), spec.payload()),
                Status.COMMAND_SEQUENCE_ERROR,
                Status.CONNECT_INVALID_PARAMETERS,
                Status.CONNECT_CONTROLLER_BUSY,
                Status.INVALID_OPCODE);
        if (answer.status() == Status.INVALID_OPCODE) {
            deviates("does not know Connect on a connected queue", "Linux nvmet");
        }
    }

    @Check(says = "Property Get before Connect: refused", source = CONNECT)
    void propertyGetFirst() throws IOException {
        expectConnectFirst(propertyGet(Property.VS.offset(), 0), Payload.NONE);
    }

    @Check(says = "Identify before Connect: refused", source = CONNECT)
    void identifyFirst() throws IOException {
        expectConnectFirst(
                IdentifyCommand.encode(Sqe.allocate(), Cns.CONTROLLER, 0, 0, 0),
                Payload.in(IdentifyCommand.DATA_BYTES));
    }

    @Check(says = "Flush before Connect: refused", source = CONNECT)
    void flushFirst() throws IOException {
        expectConnectFirst(Sqe.allocate().clear(Opcode.Nvm.FLUSH).nsid(1), Payload.NONE);
    }

    private void expectConnectFirst(Sqe sqe, Payload payload) throws IOException {
        expectStatus(
                execute(bench().queue(0, Association.DEPTH), sqe, payload),
                Status.COMMAND_SEQUENCE_ERROR,
                Status.INVALID_OPCODE,
                Status.INVALID_FIELD);
    }

    // ---- many

    @Check(
            says = "Connect and close 256 times: every one is accepted",
            source = CONNECT,
            level = Level.ROBUST,
            needs = Needs.DISRUPTION,
            seconds = 30)
    void manyTimes() throws IOException {
        for (int i = 0; i < TIMES; i++) {
            RawQueue queue = bench().queue(0, Association.DEPTH);
            expectSuccess(bench().connect(queue, connect()), "Connect number " + (i + 1));
            queue.close();
        }
    }

    @Check(
            says = "64 hosts at once: each is accepted, or told that the controller is busy, and the target lives on",
            source = CONNECT,
            level = Level.ROBUST,
            needs = Needs.DISRUPTION,
            seconds = 10)
    void manyHosts() throws IOException {
        RawQueue[] queues = new RawQueue[HOSTS];
        for (int i = 0; i < HOSTS; i++) {
            queues[i] = bench().queue(0, Association.DEPTH);
            Answer answer = expectStatus(
                    bench().connect(queues[i], connectAsOther(i)),
                    Status.SUCCESS,
                    Status.CONNECT_CONTROLLER_BUSY,
                    Status.CONNECT_INVALID_HOST,
                    Status.INTERNAL_ERROR);
            skipUnless(answer.status() != Status.CONNECT_INVALID_HOST, "the target serves named hosts only");
            if (answer.status() == Status.INTERNAL_ERROR) {
                deviates("calls a lack of controllers an internal error", "SPDK");
            }
        }
        for (RawQueue queue : queues) {
            queue.close();
        }
        expectAlive();
    }
}
