package io.nvmf.conformance.suite;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.fabrics.Capabilities;
import io.nvmf.codec.fabrics.ControllerConfiguration;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.identify.Cns;
import io.nvmf.codec.identify.CommandSetCombinations;
import io.nvmf.codec.identify.Csi;
import io.nvmf.codec.identify.IdentifyCommand;
import io.nvmf.codec.identify.IdentifyNamespace;
import io.nvmf.codec.identify.IndependentNamespace;
import io.nvmf.codec.identify.NamespaceDescriptors;
import io.nvmf.codec.identify.NamespaceList;
import io.nvmf.codec.identify.NvmCommandSetController;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Identify of I/O command sets (NVMe Base 2.0), with all of them enabled where the controller has CC.CSS 110b. */
@SuiteName("ADMIN.CSI")
public final class AdminCommandSetSuite extends AdminSuite {
    private static final int THIS_CONTROLLER = 0xFFFF;
    private static final int ALL_SETS = ControllerConfiguration.COMMAND_SET_ALL << 4;
    private static final int READY_MS = 30_000;
    private static final int NAMESPACE_READY = 1;

    private boolean hasCommandSets() {
        return Capabilities.has(facts().capabilities(), Capabilities.IO_COMMAND_SETS);
    }

    private Association withCommandSets() throws IOException {
        if (!hasCommandSets()) {
            return associate();
        }
        Association association = bench().associate(connect());
        association.setProperty(
                Property.CC, ControllerConfiguration.ENABLE | ControllerConfiguration.ENTRY_SIZES | ALL_SETS);
        association.awaitReady(true, READY_MS);
        return association;
    }

    /** Identify of the NVM command set; a target without CAP.CSS bit 43 need not know of command sets. */
    private ByteBuffer identifyNvm(Association association, int cns, long nsid) throws IOException {
        return identified(identify(association, cns, nsid, Csi.NVM), cns);
    }

    private Answer identify(Association association, int cns, long nsid, int csi) throws IOException {
        Sqe sqe = IdentifyCommand.encode(Sqe.allocate(), cns, nsid, THIS_CONTROLLER, csi);
        return association.admin(sqe, IdentifyCommand.DATA_BYTES);
    }

    private ByteBuffer identified(Answer answer, int cns) {
        skipUnless(hasCommandSets() || !isUnsupported(answer), "CNS " + hex(cns) + " is not supported");
        return littleEndian(expectSuccess(answer, "Identify CNS " + hex(cns)).data());
    }

    @Check(
            says =
                    "Identify CNS 07h of the NVM command set: namespaces that CNS 02h lists too, the one under test among"
                            + " them",
            source = "NVMe Base 2.0 s5.17.2.7",
            level = Level.SHOULD)
    void activeList() throws IOException {
        Association association = withCommandSets();
        long[] ofSet = NamespaceList.decode(identifyNvm(association, Cns.COMMAND_SET_ACTIVE_NAMESPACE_LIST, 0), 0);
        long[] all = activeNsids(association);
        boolean contained = Arrays.stream(ofSet).allMatch(nsid -> Arrays.binarySearch(all, nsid) >= 0);
        expect(contained, "some of " + Arrays.toString(all), Arrays.toString(ofSet));
        expect(
                Arrays.binarySearch(ofSet, nsid()) >= 0,
                "NSID " + nsid() + ", of the NVM command set",
                Arrays.toString(ofSet));
    }

    @Check(
            says = "Identify CNS 05h of the NVM command set: data for an active namespace",
            source = "NVM Command Set 1.0 s4.1.5.3",
            level = Level.SHOULD)
    void namespace() throws IOException {
        identifyNvm(withCommandSets(), Cns.COMMAND_SET_NAMESPACE, nsid());
    }

    @Check(
            says = "Identify CNS 05h of the reserved command set 2Fh: an error, or zeros",
            source = "NVMe Base 2.0 s5.17.1",
            level = Level.SHOULD)
    void reservedCommandSet() throws IOException {
        Association association = withCommandSets();
        identifyNvm(association, Cns.COMMAND_SET_NAMESPACE, nsid());
        Answer answer = identify(association, Cns.COMMAND_SET_NAMESPACE, nsid(), 0x2F);
        if (answer.isSuccess() && Arrays.equals(new byte[answer.data().length], answer.data())) {
            deviates("zeros for a command set that there is not", SPDK);
        } else {
            expectStatus(answer, Status.INVALID_FIELD, Status.INVALID_IO_COMMAND_SET);
        }
    }

    @Check(
            says = "Identify CNS 06h of the NVM command set: limits below 2^32 pages",
            source = "NVM Command Set 1.0 s4.1.5.4",
            level = Level.SHOULD)
    void controller() throws IOException {
        NvmCommandSetController data =
                NvmCommandSetController.decode(identifyNvm(withCommandSets(), Cns.COMMAND_SET_CONTROLLER, 0), 0);
        for (NvmCommandSetController.Field field : new NvmCommandSetController.Field[] {
            NvmCommandSetController.Field.VSL, NvmCommandSetController.Field.WZSL, NvmCommandSetController.Field.WUSL
        }) {
            expect(data.get(field) < 32, field + " below 32", data.get(field));
        }
    }

    @Check(
            says = "Identify CNS 08h: NMIC, RESCAP and ANAGRPID as in CNS 00h, and NSTAT ready",
            source = "NVMe Base 2.0 s5.17.2.8; the Linux host leaves out namespaces that are not ready",
            level = Level.SHOULD)
    void independentNamespace() throws IOException {
        Association association = withCommandSets();
        IndependentNamespace data =
                IndependentNamespace.decode(identifyNvm(association, Cns.INDEPENDENT_NAMESPACE, nsid()), 0);
        IdentifyNamespace nvm = namespaceOf(association, nsid());
        expectEquals(
                nvm.get(IdentifyNamespace.Field.NMIC) & 1, data.get(IndependentNamespace.Field.NMIC) & 1, "NMIC bit 0");
        expectEquals(
                hex(nvm.get(IdentifyNamespace.Field.RESCAP)),
                hex(data.get(IndependentNamespace.Field.RESCAP)),
                "RESCAP");
        expectEquals(
                nvm.get(IdentifyNamespace.Field.ANAGRPID), data.get(IndependentNamespace.Field.ANAGRPID), "ANAGRPID");
        expect(
                data.has(IndependentNamespace.Field.NSTAT, NAMESPACE_READY),
                "NSTAT bit 0",
                data.get(IndependentNamespace.Field.NSTAT));
    }

    @Check(
            says = "Identify CNS 1Ch of this controller: a combination with the NVM command set",
            source = "NVMe Base 2.0 s5.17.2.21",
            level = Level.SHOULD)
    void combinations() throws IOException {
        ByteBuffer data = identifyNvm(withCommandSets(), Cns.COMMAND_SET_COMBINATIONS, 0);
        long together = 0;
        for (int i = 0; i < CommandSetCombinations.MAX_COMBINATIONS; i++) {
            together |= CommandSetCombinations.combination(data, 0, i);
        }
        expect((together & 1L << Csi.NVM) != 0, "bit 0 in a combination", hex(together));
    }

    @Check(
            says = "Identify CNS 03h: with CAP.CSS bit 43 a descriptor of the command set, which is NVM",
            source = "NVMe Base 2.0 s5.17.2.3; the Linux host says \"command set not reported\"",
            level = Level.SHOULD)
    void descriptor() throws IOException {
        ByteBuffer data = withCommandSets().identified(Cns.NAMESPACE_DESCRIPTORS, nsid());
        int csi = NamespaceDescriptors.decode(data, 0).csi();
        if (csi != NamespaceDescriptors.NO_CSI) {
            expectEquals(Csi.NVM, csi, "CSI of a namespace that CNS 00h tells of");
        } else if (hasCommandSets()) {
            deviates("no descriptor of the command set", SPDK);
        } else {
            skip("the target has one command set and does not name it");
        }
    }
}
