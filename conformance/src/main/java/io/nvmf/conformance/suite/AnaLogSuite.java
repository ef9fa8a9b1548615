package io.nvmf.conformance.suite;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.identify.Cns;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyController.Field;
import io.nvmf.codec.identify.IdentifyNamespace;
import io.nvmf.codec.log.AnaLog;
import io.nvmf.codec.log.GetLogPageCommand;
import io.nvmf.codec.log.LogPageId;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Suite;
import io.nvmf.conformance.SuiteName;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What the Asymmetric Namespace Access log says, and whether Identify agrees. */
@SuiteName("ANA.LOG")
public final class AnaLogSuite extends Suite {
    private static final int HEADER_BYTES = 16;

    private Association association;

    // ---- Identify

    @Check(
            says = "ANATT is not 0, and NANAGRPID is from 1 to ANAGRPMAX",
            source = "NVMe Base 2.0 s5.17.2.1",
            level = Level.SHOULD)
    void numbersOfController() throws IOException {
        needsAna();
        expect(number(Field.ANATT) != 0, "ANATT other than 0", number(Field.ANATT));
        expect(
                number(Field.NANAGRPID) >= 1 && number(Field.NANAGRPID) <= number(Field.ANAGRPMAX),
                "NANAGRPID from 1 to ANAGRPMAX " + number(Field.ANAGRPMAX),
                number(Field.NANAGRPID));
    }

    @Check(
            says = "The longest log that NANAGRPID and the number of namespaces allow is no longer than MDTS",
            source = "the Linux host does not use ANA otherwise",
            level = Level.SHOULD)
    void fitsMdts() throws IOException {
        needsAna();
        skipUnless(facts().limitsTransfers(), "MDTS sets no limit");
        long namespaces = number(Field.MNAN) == 0 ? number(Field.NN) : number(Field.MNAN);
        long longest = HEADER_BYTES + 32 * number(Field.NANAGRPID) + 4 * namespaces;
        expect(
                longest <= facts().maxTransferBytes(),
                "a log of at most " + facts().maxTransferBytes() + " bytes (MDTS)",
                longest + " bytes");
    }

    // ---- the log

    @Check(
            says = "The groups are in ascending order, from 1 to ANAGRPMAX, and no more than NANAGRPID",
            source = "NVMe Base 2.0 s5.16.1.13",
            level = Level.SHOULD)
    void groupsAscend() throws IOException {
        AnaLog log = log(0);
        expect(
                log.groups().size() <= number(Field.NANAGRPID),
                "at most " + number(Field.NANAGRPID) + " groups (NANAGRPID)",
                log.groups().size());
        long last = 0;
        for (AnaLog.Group group : log.groups()) {
            expect(
                    group.id() > last && group.id() <= number(Field.ANAGRPMAX),
                    "a group from " + (last + 1) + " to " + number(Field.ANAGRPMAX),
                    group.id());
            last = group.id();
        }
    }

    @Check(
            says = "Every active namespace is in one group, in ascending order, and no other is",
            source = "NVMe Base 2.0 s5.16.1.13",
            level = Level.SHOULD)
    void eachNamespaceOnce() throws IOException {
        List<Long> found = new ArrayList<>();
        for (AnaLog.Group group : log(0).groups()) {
            long last = 0;
            for (long nsid : group.nsids()) {
                expect(nsid > last, "NSIDs of group " + group.id() + " in ascending order", nsid + " after " + last);
                last = nsid;
                found.add(nsid);
            }
        }
        expectEquals(activeNamespaces(), found.stream().sorted().toList(), "the namespaces of all groups");
    }

    @Check(
            says = "ANAGRPID of each active namespace is the group that lists it",
            source = "NVMe Base 2.0 s8.1.2",
            level = Level.SHOULD)
    void groupsAsIdentified() throws IOException {
        AnaLog log = log(0);
        for (long nsid : activeNamespaces()) {
            IdentifyNamespace namespace = IdentifyNamespace.decode(association().identified(Cns.NAMESPACE, nsid), 0);
            long group = namespace.get(IdentifyNamespace.Field.ANAGRPID);
            boolean listed = log.groups().stream()
                    .anyMatch(other ->
                            other.id() == group && Arrays.stream(other.nsids()).anyMatch(member -> member == nsid));
            expect(listed, "namespace " + nsid + " in group " + group + ", its ANAGRPID", log);
        }
    }

    @Check(
            says = "The state of each group is one that ANACAP offers",
            source = "NVMe Base 2.0 s5.16.1.13, s5.17.2.1 (ANACAP)",
            level = Level.SHOULD)
    void statesAreOffered() throws IOException {
        for (AnaLog.Group group : log(0).groups()) {
            int bit = switch (group.state()) {
                case AnaLog.STATE_OPTIMIZED -> 0;
                case AnaLog.STATE_NON_OPTIMIZED -> 1;
                case AnaLog.STATE_INACCESSIBLE -> 2;
                case AnaLog.STATE_PERSISTENT_LOSS -> 3;
                case AnaLog.STATE_CHANGE -> 4;
                default -> throw failure("a state of group " + group.id() + " that there is", group.state());
            };
            expect(
                    (number(Field.ANACAP) & 1L << bit) != 0,
                    "a state of group " + group.id() + " that ANACAP offers",
                    group.state());
        }
    }

    @Check(
            says = "Two reads without a change between them: the same change counts",
            source = "NVMe Base 2.0 s5.16.1.13",
            level = Level.SHOULD)
    void changeCountsRest() throws IOException {
        AnaLog before = log(0);
        AnaLog after = log(0);
        expectEquals(before.changeCount(), after.changeCount(), "the log's change count");
        for (int i = 0; i < Math.min(before.groups().size(), after.groups().size()); i++) {
            AnaLog.Group group = after.groups().get(i);
            expectEquals(
                    before.groups().get(i).changeCount(), group.changeCount(), "change count of group " + group.id());
        }
    }

    @Check(
            says = "RGO set: the same groups without their namespaces",
            source = "NVMe Base 2.0 s5.16.1.13 (RGO)",
            level = Level.SHOULD)
    void groupsOnly() throws IOException {
        AnaLog whole = log(0);
        AnaLog groupsOnly = log(AnaLog.LSP_GROUPS_ONLY);
        expectEquals(ids(whole), ids(groupsOnly), "the groups");
        for (AnaLog.Group group : groupsOnly.groups()) {
            expectEquals(0, group.nsids().length, "namespaces of group " + group.id());
        }
    }

    private static List<Long> ids(AnaLog log) {
        return log.groups().stream().map(AnaLog.Group::id).toList();
    }

    @Check(
            says = "Read in pieces by LPO: together they are what one read gives",
            source = "NVMe Base 2.0 s5.16 (LPO)",
            level = Level.SHOULD)
    void pieces() throws IOException {
        byte[] whole = bytes(lengthBytes(), 0, 0);
        int used = decode(whole).lengthBytes();
        for (int at = 0; at < used; at += HEADER_BYTES) {
            int length = Math.min(HEADER_BYTES, used - at);
            byte[] piece = bytes(length, at, 0);
            if (at > 0 && Arrays.equals(piece, Arrays.copyOf(whole, length))) {
                deviates("LPO of the ANA log is not looked at", "Linux nvmet");
                return;
            }
            expect(
                    Arrays.equals(piece, Arrays.copyOfRange(whole, at, at + length)),
                    "the same bytes at LPO " + at + " as in one read",
                    "others");
        }
    }

    // ---- what there is

    private Association association() throws IOException {
        if (association == null) {
            association = associate();
        }
        return association;
    }

    private void needsAna() {
        skipUnless(facts().controller().has(Field.CMIC, IdentifyController.CMIC_ANA), "CMIC does not offer ANA");
    }

    private long number(Field field) {
        return facts().controller().get(field);
    }

    private List<Long> activeNamespaces() throws IOException {
        ByteBuffer list = association().identified(Cns.ACTIVE_NAMESPACE_LIST, 0);
        List<Long> active = new ArrayList<>();
        for (int at = 0; at < list.capacity() && list.getInt(at) != 0; at += 4) {
            active.add(list.getInt(at) & 0xFFFF_FFFFL);
        }
        return active;
    }

    /** As much as the log can have with the namespaces that there are. */
    private int lengthBytes() throws IOException {
        needsAna();
        int length = AnaLog.lengthBytes(
                (int) number(Field.NANAGRPID), activeNamespaces().size());
        skipUnless(length <= facts().maxTransferBytes(), "the log is longer than MDTS");
        return length;
    }

    private AnaLog log(int parameter) throws IOException {
        return decode(bytes(lengthBytes(), 0, parameter));
    }

    private AnaLog decode(byte[] bytes) {
        try {
            return AnaLog.decode(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN), 0, bytes.length);
        } catch (IllegalArgumentException e) {
            throw failure("a log that NANAGRPID and the active namespaces allow", e.getMessage());
        }
    }

    private byte[] bytes(int lengthBytes, long offset, int parameter) throws IOException {
        Sqe sqe = GetLogPageCommand.encode(Sqe.allocate(), LogPageId.ANA, lengthBytes, offset)
                .nsid(Sqe.NSID_ALL);
        GetLogPageCommand.lsp(sqe, parameter);
        return expectSuccess(association().admin(sqe, lengthBytes), "Get Log Page 0Ch")
                .data();
    }
}
