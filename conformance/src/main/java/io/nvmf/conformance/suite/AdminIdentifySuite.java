package io.nvmf.conformance.suite;

import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.identify.Cns;
import io.nvmf.codec.identify.ControllerList;
import io.nvmf.codec.identify.IdentifyCommand;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyController.Field;
import io.nvmf.codec.log.TransportType;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.RawQueue;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Identify: what a controller says of itself, and what it does with what it cannot answer. */
@SuiteName("ADMIN.IDENTIFY")
public final class AdminIdentifySuite extends AdminSuite {
    private static final long VERSION_1_4 = 0x1_0400;
    private static final int SQES_64_BYTES = 0x66;
    private static final int CQES_16_BYTES = 0x44;
    private static final int ENTRY_UNITS = 4;
    private static final int SUBSYSTEM_NQN_OFFSET = 768;
    private static final int NQN_BYTES = 256;
    /** First and last byte of stretches that no revision of the specification has given a meaning. */
    private static final int[][] RESERVED = {{588, 767}, {1024, 1791}, {1808, 2047}};

    // ---- who it is

    @Check(
            says = "Identify Controller: CNTLID is the one that Connect gave",
            source = "NVMe Base 2.0 s5.17.2.1; the Linux host refuses the controller")
    void controllerId() throws IOException {
        Association association = associate();
        expectEquals(association.controllerId(), controllerOf(association).get(Field.CNTLID), "CNTLID");
    }

    @Check(
            says = "Identify Controller: SUBNQN is the one that was connected to, and ends with NUL",
            source = "NVMe Base 2.0 s5.17.2.1; the Linux host refuses the controller")
    void subsystemNqn() throws IOException {
        ByteBuffer data = associate().identified(Cns.CONTROLLER, 0);
        String nqn = IdentifyController.decode(data, 0).subsystemNqn();
        expectEquals(bench().target().subsystemNqn(), nqn, "SUBNQN");
        expectEquals(0, data.get(SUBSYSTEM_NQN_OFFSET + NQN_BYTES - 1), "last byte of SUBNQN");
    }

    @Check(
            says = "Identify Controller: CNTRLTYPE says that it is an I/O controller",
            source = "NVMe Base 2.0 s5.17.2.1")
    void controllerType() throws IOException {
        long type = controllerOf(associate()).get(Field.CNTRLTYPE);
        boolean older = facts().version() < VERSION_1_4;
        expect(
                type == IdentifyController.TYPE_IO || type == 0 && older,
                older ? "CNTRLTYPE 1, or 0 for not reported" : "CNTRLTYPE 1",
                type);
    }

    @Check(says = "Identify Controller: VER is the property VS", source = "NVMe Base 2.0 s5.17.2.1")
    void version() throws IOException {
        Association association = associate();
        expectEquals(
                hex(association.property(Property.VS)),
                hex(controllerOf(association).get(Field.VER)),
                "VER");
    }

    @Check(
            says = "Identify Controller: SN is printable ASCII, padded with spaces, and not blank",
            source = "NVMe Base 2.0 s5.17.2.1; udev names disks by it")
    void serialNumber() throws IOException {
        expectText("SN", 4, 20);
        expect(!facts().controller().serialNumber().isBlank(), "a serial number", "spaces alone");
    }

    @Check(
            says = "Identify Controller: MN is printable ASCII, padded with spaces",
            source = "NVMe Base 2.0 s5.17.2.1; udev names disks by it")
    void modelNumber() throws IOException {
        expectText("MN", 24, 40);
    }

    @Check(says = "Identify Controller: FR is printable ASCII, padded with spaces", source = "NVMe Base 2.0 s5.17.2.1")
    void firmwareRevision() throws IOException {
        expectText("FR", 64, 8);
    }

    private void expectText(String name, int offset, int lengthBytes) throws IOException {
        ByteBuffer data = associate().identified(Cns.CONTROLLER, 0);
        for (int i = offset; i < offset + lengthBytes; i++) {
            int character = data.get(i) & 0xFF;
            expect(
                    character >= 0x20 && character <= 0x7E,
                    "printable ASCII and spaces in " + name,
                    "byte " + i + " is " + hex(character));
        }
    }

    @Check(
            says = "Identify Controller on two controllers: the same SN, MN, FR and SUBNQN, another CNTLID",
            source = "NVMe Base 2.0 s5.17.2.1; multipath hosts take them for one subsystem")
    void sameSubsystem() throws IOException {
        Association first = associate();
        Association second = secondController();
        ByteBuffer one = first.identified(Cns.CONTROLLER, 0);
        ByteBuffer other = second.identified(Cns.CONTROLLER, 0);
        IdentifyController oneData = IdentifyController.decode(one, 0);
        IdentifyController otherData = IdentifyController.decode(other, 0);
        expectEquals(oneData.serialNumber(), otherData.serialNumber(), "SN");
        expectEquals(oneData.modelNumber(), otherData.modelNumber(), "MN");
        expectEquals(oneData.firmwareRevision(), otherData.firmwareRevision(), "FR");
        expectEquals(oneData.subsystemNqn(), otherData.subsystemNqn(), "SUBNQN");
        expect(
                oneData.get(Field.CNTLID) != otherData.get(Field.CNTLID),
                "two CNTLIDs",
                "twice " + oneData.get(Field.CNTLID));
    }

    /** Another controller for the same host; a target that has no more than one is not to blame. */
    private Association secondController() throws IOException {
        RawQueue queue = bench().queue(0, Association.DEPTH);
        Answer answer = bench().connect(queue, connect());
        skipUnless(answer.isSuccess(), "the host gets one controller only");
        queue.close();
        return associate();
    }

    // ---- what it can

    @Check(
            says = "a second controller is to be had: CMIC bit 1 is set",
            source = "NVMe Base 2.0 s5.17.2.1; the Linux host refuses the second path")
    void multipleControllers() throws IOException {
        Association first = associate();
        secondController();
        expect(
                controllerOf(first).has(Field.CMIC, IdentifyController.CMIC_MULTI_CONTROLLER),
                "CMIC bit 1",
                "CMIC " + hex(controllerOf(first).get(Field.CMIC)));
    }

    @Check(
            says = "Identify Controller: SQES 66h and CQES 44h, entries of 64 and 16 bytes",
            source = "NVMe Base 2.0 s5.17.2.1; the Linux host knows no others")
    void entrySizes() throws IOException {
        IdentifyController data = controllerOf(associate());
        expectEquals(hex(SQES_64_BYTES), hex(data.get(Field.SQES)), "SQES");
        expectEquals(hex(CQES_16_BYTES), hex(data.get(Field.CQES)), "CQES");
    }

    @Check(
            says = "Identify Controller: IOCCSZ at least 4 and IORCSZ at least 1",
            source = "NVMe Base 2.0 s5.17.2.1; the Linux host refuses the controller")
    void capsuleSizes() throws IOException {
        IdentifyController data = controllerOf(associate());
        expect(data.get(Field.IOCCSZ) >= ENTRY_UNITS, "IOCCSZ of at least 4", data.get(Field.IOCCSZ));
        expect(data.get(Field.IORCSZ) >= 1, "IORCSZ of at least 1", data.get(Field.IORCSZ));
    }

    @Check(
            says = "Identify Controller: ICDOFF is 0",
            source = "NVMe Base 2.0 s5.17.2.1; the Linux host refuses the controller")
    void inCapsuleDataOffset() throws IOException {
        expectEquals(0, controllerOf(associate()).get(Field.ICDOFF), "ICDOFF");
    }

    @Check(
            says = "Identify Controller: MAXCMD is not 0",
            source = "NVMe Base 2.0 s5.17.2.1, mandatory over fabrics; the Linux host warns")
    void maxCommands() throws IOException {
        expect(controllerOf(associate()).get(Field.MAXCMD) > 0, "MAXCMD above 0", 0);
    }

    @Check(
            says = "Identify Controller: KAS is not 0",
            source = "NVMe Base 2.0 s5.17.2.1; the Linux host refuses the controller")
    void keepAliveSupport() throws IOException {
        expect(controllerOf(associate()).get(Field.KAS) > 0, "KAS above 0", 0);
    }

    @Check(
            says = "Identify Controller: SGLS bits 1:0 say that SGLs are supported",
            source = "NVMe Base 2.0 s5.17.2.1; the Linux host refuses the controller")
    void sglSupport() throws IOException {
        long alignment = controllerOf(associate()).get(Field.SGLS) & 3;
        expect(alignment == 1 || alignment == 2, "SGLS bits 1:0 of 01b or 10b", alignment);
    }

    @Check(
            says = "Identify Controller: SGLS names the descriptors of the transport: keyed over RDMA, transport data"
                    + " blocks over TCP",
            source = "NVMe Base 2.0 s5.17.2.1; the Linux host refuses RDMA without keyed SGLs")
    void sglOfTransport() throws IOException {
        IdentifyController data = controllerOf(associate());
        String got = "SGLS " + hex(data.get(Field.SGLS));
        if (bench().target().transport() == TransportType.RDMA) {
            expect(data.has(Field.SGLS, IdentifyController.SGLS_KEYED), "SGLS bit 2", got);
        } else if (!data.has(Field.SGLS, IdentifyController.SGLS_TRANSPORT)) {
            deviates("SGLS bit 21 is clear although transport data blocks are taken", LINUX);
        }
    }

    @Check(
            says = "capsules carry data: SGLS bit 20 says that offsets in the capsule are supported",
            source = "NVMe Base 2.0 s5.17.2.1; the Linux host sends no data in capsules without it")
    void sglOffset() throws IOException {
        IdentifyController data = controllerOf(associate());
        boolean offsets = data.has(Field.SGLS, IdentifyController.SGLS_OFFSET);
        expect(
                offsets || data.inCapsuleDataBytes() == 0,
                "SGLS bit 20 with IOCCSZ " + data.get(Field.IOCCSZ),
                "SGLS " + hex(data.get(Field.SGLS)));
    }

    @Check(
            says = "Identify Controller: NN is not 0, and no active namespace is beyond it",
            source = "NVMe Base 2.0 s5.17.2.1")
    void numberOfNamespaces() throws IOException {
        Association association = associate();
        long last = controllerOf(association).get(Field.NN);
        expect(last > 0, "NN above 0", last);
        for (long nsid : activeNsids(association)) {
            expect(nsid <= last, "NSIDs up to NN " + last, nsid);
        }
    }

    @Check(
            says = "ANA is reported: MNAN is from 1 to NN; else it is 0 or no more than NN",
            source = "NVMe Base 2.0 s5.17.2.1; the Linux host says \"Invalid MNAN value\"")
    void maxNamespaces() throws IOException {
        IdentifyController data = controllerOf(associate());
        long most = data.get(Field.MNAN);
        long last = data.get(Field.NN);
        boolean ana = data.has(Field.CMIC, IdentifyController.CMIC_ANA);
        expect(most <= last, "MNAN of at most NN " + last, most);
        expect(most > 0 || !ana, "MNAN above 0 as ANA is reported", most);
    }

    @Check(
            says = "Identify Controller: bytes that have no meaning are 0",
            source = "NVMe Base 2.0 s5.17.2.1",
            level = Level.INFO)
    void reservedBytes() throws IOException {
        ByteBuffer data = associate().identified(Cns.CONTROLLER, 0);
        for (int[] range : RESERVED) {
            for (int i = range[0]; i <= range[1]; i++) {
                expectEquals(0, data.get(i), "reserved byte " + i);
            }
        }
    }

    // ---- lists of controllers

    @Check(
            says = "Identify CNS 13h, the controllers of the subsystem: lists this one",
            source = "NVMe Base 2.0 s5.17.2.12",
            level = Level.SHOULD)
    void controllersOfSubsystem() throws IOException {
        Association association = associate();
        expectListed(association, association.identify(Cns.CONTROLLER_LIST, 0));
    }

    @Check(
            says = "Identify CNS 12h, the controllers that a namespace is attached to: lists this one",
            source = "NVMe Base 2.0 s5.17.2.11",
            level = Level.SHOULD)
    void controllersOfNamespace() throws IOException {
        Association association = associate();
        expectListed(association, association.identify(Cns.NAMESPACE_CONTROLLER_LIST, nsid()));
    }

    private void expectListed(Association association, Answer answer) {
        skipUnless(!isUnsupported(answer), "the target does not list controllers");
        expectSuccess(answer, "Identify");
        int[] ids = ControllerList.decode(littleEndian(answer.data()), 0);
        expect(
                Arrays.stream(ids).anyMatch(id -> id == association.controllerId()),
                "CNTLID " + association.controllerId() + " in the list",
                Arrays.toString(ids));
        int[] ascending = Arrays.stream(ids).sorted().distinct().toArray();
        expect(Arrays.equals(ascending, ids), "each CNTLID once, in ascending order", Arrays.toString(ids));
    }

    // ---- what it cannot answer

    @Check(says = "Identify with the reserved CNS 0Fh: 0/02h", source = "NVMe Base 2.0 s5.17.1")
    void reservedCns0f() throws IOException {
        expectStatus(associate().identify(0x0F, 0), Status.INVALID_FIELD);
    }

    @Check(says = "Identify with the reserved CNS 80h: 0/02h", source = "NVMe Base 2.0 s5.17.1")
    void reservedCns80() throws IOException {
        expectStatus(associate().identify(0x80, 0), Status.INVALID_FIELD);
    }

    @Check(
            says = "Identify into 4095 bytes: an error, and no byte beyond them",
            source = "NVMe Base 2.0 s4.1.2",
            level = Level.SHOULD)
    void lengthTooShort() throws IOException {
        Association association = associate();
        Answer answer = association.admin(controllerCommand(), IdentifyCommand.DATA_BYTES - 1);
        expectRefused(answer, "4096 bytes of data into 4095");
        controllerOf(association);
    }

    @Check(
            says = "Identify with an SGL of length 0: an error, and no data",
            source = "NVMe Base 2.0 s4.1.2",
            level = Level.SHOULD)
    void lengthZero() throws IOException {
        Association association = associate();
        expectRefused(association.admin(controllerCommand(), 0), "4096 bytes of data into none");
        controllerOf(association);
    }

    @Check(
            says = "Identify with an SGL of 8192 bytes: an error, or 4096 bytes of data",
            source = "NVMe Base 2.0 s4.1.2",
            level = Level.SHOULD)
    void lengthTooLong() throws IOException {
        Association association = associate();
        Payload payload = Payload.in(IdentifyCommand.DATA_BYTES).sgl(AdminIdentifySuite::twiceAsLong);
        Answer answer = execute(association.admin(), controllerCommand(), payload);
        expect(answer.isCompleted(), "an answer", answer);
        if (answer.isSuccess()) {
            expectEquals(IdentifyCommand.DATA_BYTES, answer.dataBytes(), "bytes of data");
        }
        controllerOf(association);
    }

    private static void twiceAsLong(SglDescriptor sgl) {
        int length = 2 * IdentifyCommand.DATA_BYTES;
        if (sgl.identifier() == SglDescriptor.TRANSPORT_DATA_BLOCK) {
            sgl.set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, length);
        } else {
            sgl.setKeyed(sgl.address(), length, sgl.key(), false);
        }
    }

    private static Sqe controllerCommand() {
        return IdentifyCommand.encode(Sqe.allocate(), Cns.CONTROLLER, 0, 0, 0);
    }
}
