package io.nvmf.it.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.nvmf.codec.Cqe;
import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.fabrics.ConnectCommand;
import io.nvmf.codec.fabrics.ConnectData;
import io.nvmf.codec.fabrics.FabricsType;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.fabrics.PropertyCommand;
import io.nvmf.codec.identify.Cns;
import io.nvmf.codec.identify.IdentifyCommand;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.log.GetLogPageCommand;
import io.nvmf.codec.log.LogPageId;
import io.nvmf.codec.tcp.Capsule;
import io.nvmf.codec.tcp.DataPdu;
import io.nvmf.codec.tcp.InitializeConnection;
import io.nvmf.codec.tcp.PduHeader;
import io.nvmf.codec.tcp.PduType;
import io.nvmf.codec.tcp.R2T;
import io.nvmf.conformance.Catalog;
import io.nvmf.conformance.CheckCase;
import io.nvmf.conformance.Outcome;
import io.nvmf.conformance.Outcome.Verdict;
import io.nvmf.conformance.RunOptions;
import io.nvmf.conformance.Runner;
import io.nvmf.conformance.fuzz.FuzzCase;
import io.nvmf.conformance.suite.FuzzReplaySuite;
import io.nvmf.initiator.raw.RawPdu;
import io.nvmf.it.conformance.FaultProxy.Fault;
import io.nvmf.target.NvmfTarget;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * The harness proved: a target that is wrong in one way fails the check that is meant for it, and passes the same check when
 * nothing is wrong, through the same proxy.
 */
class FaultMatrixTest {
    private static final int ANSWER_MS = 2_000;
    private static final int STATUS = Capsule.ENTRY_OFFSET + Cqe.STATUS_OFFSET;
    private static final int SQHD = Capsule.ENTRY_OFFSET + Cqe.SQHD_OFFSET;
    private static final int COMMAND_ID = Capsule.ENTRY_OFFSET + Cqe.COMMAND_ID_OFFSET;
    private static final int DW0 = Capsule.ENTRY_OFFSET;
    private static final int SQE = Capsule.ENTRY_OFFSET;
    /** Connect's data in its capsule. */
    private static final int CONNECT_DATA = Capsule.COMMAND_BYTES;

    private static final String UNCOMPLETED = "one command never completed";
    private static final Map<String, Case> MATRIX = new LinkedHashMap<>();

    /**
     * A fault, and the check that must fail for it.
     *
     * @param claimed whether the fault is in what the target says of itself before the checks, too
     */
    private record Case(Fault fault, String check, boolean claimed) {}

    private static void fault(String what, String check, Fault fault) {
        MATRIX.put(what, new Case(fault, check, false));
    }

    private static void claim(String what, String check, Fault fault) {
        MATRIX.put(what, new Case(fault, check, true));
    }

    // ---- what a fault is about

    private static Predicate<Sqe> admin(int opcode) {
        return sqe -> sqe.opcode() == opcode;
    }

    private static Predicate<Sqe> identify(int cns) {
        return admin(Opcode.Admin.IDENTIFY).and(sqe -> IdentifyCommand.cns(sqe) == cns);
    }

    private static Predicate<Sqe> fabrics(int type) {
        return sqe -> sqe.opcode() == Opcode.FABRICS && sqe.fabricsType() == type;
    }

    private static Predicate<Sqe> property(int type, Property property) {
        return fabrics(type).and(sqe -> PropertyCommand.propertyOffset(sqe) == property.offset());
    }

    private static Predicate<RawPdu> capsule(Predicate<Sqe> of) {
        return pdu -> pdu.is(PduType.CAPSULE_CMD) && of.test(pdu.command());
    }

    private static void set(ByteBuffer data, IdentifyController.Field field, long value) {
        field.write(data, 0, value);
    }

    private static void status(ByteBuffer pdu, int status) {
        pdu.putShort(STATUS, (short) (status << 1));
    }

    static {
        // The beginning of a connection.
        fault(
                "PFV 1 in ICResp",
                "TCP.IC.Plain",
                Faults.onPdu(PduType.IC_RESP, pdu -> pdu.put(InitializeConnection.PFV_OFFSET, (byte) 1)));
        fault(
                "MAXH2CDATA 4094",
                "TCP.IC.MaxH2cData",
                Faults.onPdu(PduType.IC_RESP, pdu -> pdu.putInt(InitializeConnection.MAX_H2C_DATA_OFFSET, 4094)));
        fault(
                "CPDA 32",
                "TCP.IC.CpdaInRange",
                Faults.onPdu(PduType.IC_RESP, pdu -> pdu.put(InitializeConnection.ALIGNMENT_OFFSET, (byte) 32)));
        fault(
                "PFV 1 taken",
                "TCP.IC.PfvOne",
                Faults.towardsTarget(
                        pdu -> pdu.is(PduType.IC_REQ), pdu -> pdu.put(InitializeConnection.PFV_OFFSET, (byte) 0)));
        fault("a second ICReq passed over", "TCP.IC.SecondIcReq", second(PduType.IC_REQ));
        // PDUs.
        fault("errors without TermReq and end", "TCP.PDU.Type08h", Faults.silentAboutErrors());
        fault(
                "CID without its upper byte",
                "TCP.PDU.CommandIdEchoed",
                Faults.onPdu(PduType.CAPSULE_RESP, pdu -> pdu.put(COMMAND_ID + 1, (byte) 0)));
        fault(
                "SQHD ahead",
                "TCP.PDU.SqHeadAdvances",
                Faults.onPdu(PduType.CAPSULE_RESP, pdu -> pdu.putShort(SQHD, (short) ((pdu.getShort(SQHD) + 7) % 32))));
        fault(
                "LAST_PDU missing",
                "TCP.DATA.LastPduOnLastAlone",
                Faults.onPdu(PduType.C2H_DATA, pdu -> clearFlag(pdu, PduHeader.LAST_PDU)));
        fault(
                "DATAO 4 too far",
                "TCP.DATA.DataOffsetsAscend",
                Faults.onPdu(PduType.C2H_DATA, pdu -> add(pdu, DataPdu.DATA_OFFSET_OFFSET, 4)));
        fault(
                "R2TO 4 too far",
                "TCP.DATA.R2tsCoverWrite",
                Faults.onPdu(PduType.R2T, pdu -> add(pdu, R2T.OFFSET_OFFSET, 4)));
        fault(
                "each completion twice",
                "TCP.DATA.OneResponse",
                Faults.instead(PduType.CAPSULE_RESP, pdu -> List.of(pdu, pdu)));
        // Digests.
        fault(
                "HDGST of C2HData wrong",
                "TCP.DIGEST.HdgstOfC2hData",
                Faults.instead(PduType.C2H_DATA, pdu -> List.of(flipped(pdu, pdu.headerLength()))));
        fault(
                "DDGST of C2HData wrong",
                "TCP.DIGEST.DdgstOfC2hData",
                Faults.instead(PduType.C2H_DATA, pdu -> List.of(flipped(pdu, pdu.bytes().length - 1))));
        fault("a wrong HDGST taken", "TCP.DIGEST.WrongHdgst", Faults.towardsTarget(capsule(sqe -> true), pdu -> {}));
        fault(
                "a wrong DDGST in a capsule taken",
                "TCP.DIGEST.WrongDdgstInCapsule",
                Faults.towardsTarget(capsule(sqe -> true), pdu -> {}));
        // Connect and properties.
        fault(
                "RECFMT not looked at",
                "FABRICS.CONNECT.RecordFormatOne",
                Faults.towardsTarget(
                        capsule(fabrics(FabricsType.CONNECT)),
                        pdu -> pdu.putShort(SQE + ConnectCommand.RECORD_FORMAT_OFFSET, (short) 0)));
        fault(
                "any SUBNQN taken",
                "FABRICS.NAMES.UnknownSubsystem",
                Faults.towardsTarget(capsule(fabrics(FabricsType.CONNECT)), FaultMatrixTest::ownSubsystem));
        fault(
                "SQSIZE 0 taken",
                "FABRICS.CONNECT.SqsizeZero",
                Faults.towardsTarget(
                        capsule(fabrics(FabricsType.CONNECT)),
                        pdu -> pdu.putShort(SQE + ConnectCommand.SQ_SIZE_OFFSET, (short) 31)));
        fault(
                "one CNTLID for all",
                "FABRICS.CONNECT.TwoControllers",
                Faults.onCompletion(fabrics(FabricsType.CONNECT), pdu -> pdu.putShort(DW0, (short) 1)));
        fault(
                "CSTS.RDY stays 0",
                "FABRICS.LIFE.Enable",
                Faults.onCompletion(property(FabricsType.PROPERTY_GET, Property.CSTS), pdu -> pdu.putInt(DW0, 0)));
        fault(
                "VS 0",
                "FABRICS.PROPERTY.Version",
                Faults.onCompletion(property(FabricsType.PROPERTY_GET, Property.VS), pdu -> pdu.putInt(DW0, 0)));
        fault(
                "CAP.CQR 0",
                "FABRICS.PROPERTY.CapQueues",
                Faults.onCompletion(
                        property(FabricsType.PROPERTY_GET, Property.CAP), pdu -> pdu.put(DW0 + 2, (byte) 0)));
        fault(
                "Set of CAP taken",
                "FABRICS.PROPERTY.SetCap",
                Faults.onCompletion(property(FabricsType.PROPERTY_SET, Property.CAP), pdu -> status(pdu, 0)));
        fault(
                "KATO not looked at",
                "FABRICS.KEEPALIVE.Expires",
                Faults.towardsTarget(
                        capsule(fabrics(FabricsType.CONNECT)), pdu -> pdu.putInt(SQE + ConnectCommand.KATO_OFFSET, 0)));
        fault(
                "Keep Alive refused",
                "FABRICS.KEEPALIVE.Command",
                Faults.onCompletion(admin(Opcode.Admin.KEEP_ALIVE), pdu -> status(pdu, 1)));
        // Identify, logs, abort.
        claim(
                "SN blank",
                "ADMIN.IDENTIFY.SerialNumber",
                Faults.onData(identify(Cns.CONTROLLER), data -> fill(data, 4, 20, ' ')));
        fault(
                "another CNTLID in Identify",
                "ADMIN.IDENTIFY.ControllerId",
                Faults.onData(identify(Cns.CONTROLLER), data -> set(data, IdentifyController.Field.CNTLID, 0x1234)));
        fault(
                "SQES 55h",
                "ADMIN.IDENTIFY.EntrySizes",
                Faults.onData(identify(Cns.CONTROLLER), data -> set(data, IdentifyController.Field.SQES, 0x55)));
        claim(
                "MDTS one too large",
                "ADMIN.LIMITS.LargestTransfer",
                Faults.onData(
                        identify(Cns.CONTROLLER),
                        data -> set(
                                data, IdentifyController.Field.MDTS, IdentifyController.Field.MDTS.read(data, 0) + 1)));
        fault(
                "namespaces in the wrong order",
                "ADMIN.NAMESPACE.ActiveList",
                Faults.onData(
                        identify(Cns.ACTIVE_NAMESPACE_LIST),
                        data -> data.putInt(0, 2).putInt(4, 1)));
        fault(
                "other identifiers in CNS 03h",
                "ADMIN.NAMESPACE.SameInDescriptors",
                Faults.onData(identify(Cns.NAMESPACE_DESCRIPTORS), data -> data.put(8, (byte) ~data.get(8))));
        fault(
                "a reserved log page read",
                "ADMIN.LOG.ReservedLid",
                Faults.onCompletion(admin(Opcode.Admin.GET_LOG_PAGE), pdu -> status(pdu, 0)));
        fault(
                "Abort says that it aborted",
                "ADMIN.ABORT.UnknownCommand",
                Faults.onCompletion(admin(Opcode.Admin.ABORT), pdu -> pdu.putInt(DW0, 0)));
        // Blocks.
        claim(
                "NSZE one too large",
                "IO.RW.UpToTheEnd",
                Faults.onData(identify(Cns.NAMESPACE), data -> data.putLong(0, data.getLong(0) + 1)));
        fault(
                "blocks beyond the end written",
                "IO.RW.WriteBeyondEnd",
                Faults.onCompletion(admin(Opcode.Nvm.WRITE), pdu -> status(pdu, 0)));
        fault(
                "a bit of what is written turned",
                "IO.RW.OneBlockFetched",
                Faults.towardsTarget(pdu -> pdu.is(PduType.H2C_DATA), pdu -> flip(pdu, DataPdu.BYTES + 17)));
        fault(
                "a bit of what is read turned",
                "IO.RW.OneBlockInCapsule",
                Faults.onData(admin(Opcode.Nvm.READ), data -> flip(data, 99)));
        fault(
                "Compare finds all equal",
                "IO.COMPARE.FirstByteDiffers",
                Faults.onCompletion(admin(Opcode.Nvm.COMPARE), pdu -> status(pdu, 0)));
        fault(
                "NSID 0 taken",
                "IO.CMD.NsidZero",
                Faults.towardsTarget(
                        capsule(sqe -> sqe.nsid() == 0 && sqe.opcode() == Opcode.Nvm.READ),
                        pdu -> pdu.putInt(SQE + Sqe.NSID_OFFSET, 1)));
        // Discovery, fuzz.
        fault("GENCTR moves by itself", "DISC.LOG.Twice", movingGeneration());
        fault(
                UNCOMPLETED,
                "STRESS.FUZZ.AdminCommands",
                Faults.instead(
                        PduType.CAPSULE_RESP,
                        pdu -> pdu.completion().commandId() == 0x4003 ? List.of() : List.of(pdu)));
    }

    private static Fault second(PduType type) {
        return new Fault() {
            private final Map<Object, Boolean> seen = Collections.synchronizedMap(new WeakHashMap<>());

            @Override
            public List<RawPdu> toTarget(FaultProxy.Connection connection, RawPdu pdu) {
                return pdu.is(type) && seen.put(connection, true) != null ? List.of() : List.of(pdu);
            }
        };
    }

    private static Fault movingGeneration() {
        AtomicInteger reads = new AtomicInteger();
        return Faults.onData(
                admin(Opcode.Admin.GET_LOG_PAGE).and(sqe -> GetLogPageCommand.lid(sqe) == LogPageId.DISCOVERY),
                data -> data.putLong(0, data.getLong(0) + reads.incrementAndGet()));
    }

    private static void ownSubsystem(ByteBuffer pdu) {
        fill(pdu, CONNECT_DATA + ConnectData.SUBSYSTEM_NQN_OFFSET, ConnectData.NQN_BYTES, 0);
        pdu.put(CONNECT_DATA + ConnectData.SUBSYSTEM_NQN_OFFSET, OwnTarget.NQN.getBytes(StandardCharsets.UTF_8));
    }

    private static void fill(ByteBuffer buffer, int offset, int length, int value) {
        for (int i = 0; i < length; i++) {
            buffer.put(offset + i, (byte) value);
        }
    }

    private static void clearFlag(ByteBuffer pdu, int flag) {
        pdu.put(PduHeader.FLAGS_OFFSET, (byte) (pdu.get(PduHeader.FLAGS_OFFSET) & ~flag));
    }

    private static void add(ByteBuffer pdu, int offset, int value) {
        pdu.putInt(offset, pdu.getInt(offset) + value);
    }

    private static void flip(ByteBuffer buffer, int offset) {
        buffer.put(offset, (byte) (buffer.get(offset) ^ 1));
    }

    private static RawPdu flipped(RawPdu pdu, int offset) {
        byte[] bytes = pdu.bytes().clone();
        bytes[offset] ^= 1;
        return new RawPdu(bytes);
    }

    // ---- the matrix

    @TestFactory
    Stream<DynamicTest> shouldCatchEachFault() throws Exception {
        NvmfTarget target = OwnTarget.start();
        List<DynamicTest> tests = new ArrayList<>();
        MATRIX.forEach((what, row) -> tests.add(DynamicTest.dynamicTest(
                what + " -> " + row.check(), () -> assertEquals(Verdict.FAIL, verdict(target, row)))));
        List<String> checks =
                MATRIX.values().stream().map(Case::check).distinct().toList();
        tests.add(DynamicTest.dynamicTest("nothing wrong", () -> {
            Map<String, Verdict> passed =
                    checks.stream().collect(Collectors.toMap(check -> check, check -> Verdict.PASS));
            assertEquals(passed, verdicts(target, new Fault() {}, true, checks));
        }));
        return tests.stream().onClose(target::close);
    }

    /** What a failure of random cases leaves is enough to see it again, where the fault is, and not where it is not. */
    @Test
    void shouldKeepACaseThatFailsAgain(@TempDir Path directory) throws Exception {
        Fault fault = MATRIX.get(UNCOMPLETED).fault();
        CheckCase check = Catalog.matching("STRESS.FUZZ.AdminCommands").get(0);
        try (NvmfTarget target = OwnTarget.start();
                FaultProxy proxy = new FaultProxy(target.addresses().get(0), fault)) {
            Map<String, String> files = outcome(proxy, check).files();
            assertEquals(1, files.size());
            String name = files.keySet().iterator().next();
            FuzzCase kept = FuzzCase.read(Files.writeString(directory.resolve(name), files.get(name)));
            assertEquals(Verdict.FAIL, outcome(proxy, FuzzReplaySuite.of(kept)).verdict());
            proxy.wrong(false);
            assertEquals(Verdict.PASS, outcome(proxy, FuzzReplaySuite.of(kept)).verdict());
        }
    }

    private static Outcome outcome(FaultProxy proxy, CheckCase check) throws Exception {
        Runner runner = new Runner(OwnTarget.tested(proxy.address(), ANSWER_MS), RunOptions.everything());
        return runner.run(List.of(check), outcome -> {}).get(0);
    }

    private static Verdict verdict(NvmfTarget target, Case row) throws Exception {
        return verdicts(target, row.fault(), row.claimed(), List.of(row.check()))
                .get(row.check());
    }

    private static Map<String, Verdict> verdicts(NvmfTarget target, Fault fault, boolean claimed, List<String> ids)
            throws Exception {
        List<CheckCase> checks =
                Catalog.all().stream().filter(check -> ids.contains(check.id())).toList();
        assertEquals(ids.size(), checks.size(), () -> "a check of each name: " + ids);
        try (FaultProxy proxy = new FaultProxy(target.addresses().get(0), fault)) {
            proxy.wrong(claimed);
            Runner runner = new Runner(OwnTarget.tested(proxy.address(), ANSWER_MS), RunOptions.everything());
            proxy.wrong(true);
            return runner.run(checks, outcome -> {}).stream()
                    .collect(Collectors.toMap(outcome -> outcome.check().id(), Outcome::verdict));
        }
    }
}
