package io.nvmf.conformance.suite;

import io.nvmf.codec.Status;
import io.nvmf.codec.fabrics.Capabilities;
import io.nvmf.codec.fabrics.ControllerConfiguration;
import io.nvmf.codec.fabrics.ControllerStatus;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.identify.IdentifyController.Field;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.RawQueue;
import java.io.IOException;

/** Property Get and Property Set, and what the properties say before a controller is enabled. */
@SuiteName("FABRICS.PROPERTY")
public final class PropertySuite extends FabricsSuite {
    private static final String PROPERTIES = "NVMe Base 2.0 s3.1.3";
    private static final String GET = "NVMe Base 2.0 s6.5";
    private static final String SET = "NVMe Base 2.0 s6.6";
    private static final long NO_IO_COMMAND_SET = 1L << 44;
    /** CRIMS: ready independent of media. */
    private static final long READY_INDEPENDENT = 1L << 60;

    private static final long VERSION_1_2 = 0x0001_0200;
    /** No property is there. */
    private static final int NOWHERE = 0xF00;

    // ---- what they say

    @Check(says = "CAP: CQR 1, DSTRD 0, MQES at least 1", source = PROPERTIES)
    void capQueues() throws IOException {
        long cap = property(Property.CAP);
        expect(Capabilities.has(cap, Capabilities.CONTIGUOUS_QUEUES_REQUIRED), "CQR 1", "CAP " + hex(cap));
        expectEquals(0, cap >>> 32 & 0xF, "DSTRD");
        expect(Capabilities.maxQueueEntriesZeroBased(cap) >= 1, "MQES of at least 1", "CAP " + hex(cap));
    }

    @Check(says = "CAP: TO is not 0", source = "hosts wait no longer than that for CSTS.RDY")
    void capTimeout() throws IOException {
        long cap = property(Property.CAP);
        expect(Capabilities.readyTimeoutMs(cap) > 0, "TO of at least 1", "CAP " + hex(cap));
    }

    @Check(says = "CAP: CSS names a command set", source = PROPERTIES)
    void capCommandSets() throws IOException {
        long cap = property(Property.CAP);
        long any = Capabilities.NVM_COMMAND_SET | Capabilities.IO_COMMAND_SETS | NO_IO_COMMAND_SET;
        expect((cap & any) != 0, "a bit of CSS", "CAP " + hex(cap));
    }

    @Check(says = "CAP: MPSMIN is not above MPSMAX, and 4 KiB pages will do", source = "hosts have pages of 4 KiB")
    void capPages() throws IOException {
        long cap = property(Property.CAP);
        long min = cap >>> 48 & 0xF;
        expect(min <= (cap >>> 52 & 0xF), "MPSMIN up to MPSMAX", "CAP " + hex(cap));
        expectEquals(0, min, "MPSMIN");
    }

    @Check(says = "VS: the same as VER of Identify Controller", source = "NVMe Base 2.0 s5.17.2.1")
    void versionAsIdentified() throws IOException {
        expectEquals(facts().controller().get(Field.VER), property(Property.VS), "VS");
    }

    @Check(says = "VS: 1.2 or later", source = "fabrics came with NVMe 1.2.1")
    void version() throws IOException {
        long version = property(Property.VS);
        expect(version >= VERSION_1_2, "at least " + hex(VERSION_1_2), hex(version));
    }

    @Check(says = "After Connect: CC.EN 0, CSTS.RDY 0, CSTS.CFS 0", source = "NVMe Base 2.0 s3.5.2")
    void afterConnect() throws IOException {
        Association association = bench().associate(connect());
        long configuration = association.property(Property.CC);
        expect(!ControllerConfiguration.isEnabled(configuration), "CC.EN 0", "CC " + hex(configuration));
        long status = association.property(Property.CSTS);
        expect(
                !ControllerStatus.isReady(status) && !ControllerStatus.isFatal(status),
                "CSTS.RDY 0 and CSTS.CFS 0",
                "CSTS " + hex(status));
    }

    @Check(
            says = "CRTO, when CAP.CRWMS or CAP.CRIMS says that it is there: can be had",
            source = "the Linux host reads it",
            level = Level.SHOULD)
    void readyTimeouts() throws IOException {
        Association association = bench().associate(connect());
        long cap = association.property(Property.CAP);
        skipUnless(
                Capabilities.has(cap, Capabilities.CONTROLLER_READY_WITH_MEDIA | READY_INDEPENDENT),
                "there is no CRTO: CAP.CRWMS and CAP.CRIMS are 0");
        association.property(Property.CRTO);
    }

    @Check(says = "NSSR: there just when CAP.NSSRS says so, and reads as 0", source = PROPERTIES, level = Level.SHOULD)
    void subsystemReset() throws IOException {
        Association association = bench().associate(connect());
        if (Capabilities.has(association.property(Property.CAP), Capabilities.SUBSYSTEM_RESET)) {
            expectEquals(0, association.property(Property.NSSR), "NSSR");
        } else {
            expectNoSuch(association.admin(propertyGet(Property.NSSR.offset(), 0)));
        }
    }

    private long property(Property property) throws IOException {
        return bench().associate(connect()).property(property);
    }

    // ---- what is not there

    @Check(says = "Property Get where no property is: refused", source = GET)
    void getNowhere() throws IOException {
        expectNoSuch(bench().associate(connect()).admin(propertyGet(NOWHERE, 0)));
    }

    @Check(says = "Property Get at an offset that is not aligned: refused", source = GET)
    void getUnaligned() throws IOException {
        expectNoSuch(bench().associate(connect()).admin(propertyGet(Property.CC.offset() + 1, 0)));
    }

    @Check(says = "Property Get of VS with 8 bytes: refused", source = GET)
    void getVersionTooLong() throws IOException {
        expectNoSuch(bench().associate(connect()).admin(propertyGet(Property.VS.offset(), 1)));
    }

    @Check(says = "Property Get of CAP with 4 bytes: refused, or its low half", source = GET)
    void getHalfOfCap() throws IOException {
        Association association = bench().associate(connect());
        Answer answer = association.admin(propertyGet(Property.CAP.offset(), 0));
        if (answer.isSuccess()) {
            expectEquals(association.property(Property.CAP) & 0xFFFF_FFFFL, answer.result(), "the low half of CAP,");
        } else {
            expectNoSuch(answer);
        }
    }

    @Check(says = "Property Get with a reserved size: refused", source = GET)
    void getReservedSize() throws IOException {
        expectNoSuch(bench().associate(connect()).admin(propertyGet(Property.VS.offset(), 7)));
    }

    @Check(says = "Property Set where no property is: refused", source = SET)
    void setNowhere() throws IOException {
        expectNoSuch(bench().associate(connect()).admin(propertySet(NOWHERE, 0, 1)));
    }

    private void expectNoSuch(Answer answer) {
        expectStatus(answer, Status.INVALID_FIELD, Status.CONNECT_INVALID_PARAMETERS);
    }

    // ---- what cannot be set

    @Check(says = "Property Set of CAP: refused, and nothing changes", source = SET)
    void setCap() throws IOException {
        expectReadOnly(Property.CAP, 0);
    }

    @Check(says = "Property Set of VS: refused, and nothing changes", source = SET)
    void setVersion() throws IOException {
        expectReadOnly(Property.VS, VERSION_1_2 - 1);
    }

    @Check(says = "Property Set of CSTS: refused, and nothing changes", source = SET)
    void setStatus() throws IOException {
        expectReadOnly(Property.CSTS, ControllerStatus.READY);
    }

    private void expectReadOnly(Property property, long value) throws IOException {
        Association association = bench().associate(connect());
        long before = association.property(property);
        int size = property.sizeBytes() == 8 ? 1 : 0;
        Answer answer = association.admin(propertySet(property.offset(), size, value));
        expect(answer.isCompleted() && !answer.isSuccess(), "an error", answer);
        expectEquals(before, association.property(property), property + " stays");
    }

    // ---- where

    @Check(says = "Property Get on an I/O queue: refused, and the queue works on", source = GET)
    void onIoQueue() throws IOException {
        RawQueue io = associateForIo().io();
        expectStatus(
                execute(io, propertyGet(Property.VS.offset(), 0)),
                Status.INVALID_OPCODE,
                Status.INVALID_FIELD,
                Status.COMMAND_SEQUENCE_ERROR);
        expectServes(io);
    }

    @Check(says = "Property Set of CC on an I/O queue: refused, and the controller stays ready", source = SET)
    void setOnIoQueue() throws IOException {
        Association association = associateForIo();
        expectStatus(
                execute(association.io(), propertySet(Property.CC.offset(), 0, 0)),
                Status.INVALID_OPCODE,
                Status.INVALID_FIELD,
                Status.COMMAND_SEQUENCE_ERROR);
        long status = association.property(Property.CSTS);
        expect(ControllerStatus.isReady(status), "CSTS.RDY 1", "CSTS " + hex(status));
    }
}
