package io.nvmf.conformance.suite;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.identify.Cns;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyNamespace;
import io.nvmf.codec.identify.IdentifyNamespace.Field;
import io.nvmf.codec.identify.IdentifyNamespace.LbaFormat;
import io.nvmf.codec.identify.NamespaceDescriptors;
import io.nvmf.codec.identify.NamespaceList;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** Identify: which namespaces there are, what they are like, and what hosts know them by. */
@SuiteName("ADMIN.NAMESPACE")
public final class AdminNamespaceSuite extends AdminSuite {
    private static final int SMALLEST_BLOCK_SHIFT = 9;
    private static final int LARGEST_BLOCK_SHIFT = 16;
    private static final int DESCRIPTOR_HEADER_BYTES = 4;
    private static final long HIGHEST_NSID = 0xFFFF_FFFEL;
    private static final Map<Integer, Integer> IDENTIFIER_BYTES = Map.of(
            NamespaceDescriptors.TYPE_EUI64, 8,
            NamespaceDescriptors.TYPE_NGUID, 16,
            NamespaceDescriptors.TYPE_UUID, 16,
            NamespaceDescriptors.TYPE_CSI, 1);

    // ---- which there are

    @Check(
            says = "Identify CNS 02h from NSID 0: each active namespace once, in ascending order",
            source = "NVMe Base 2.0 s5.17.2.2")
    void activeList() throws IOException {
        Association association = associate();
        long[] nsids = activeNsids(association);
        long[] ascending = Arrays.stream(nsids).sorted().distinct().toArray();
        expect(Arrays.equals(ascending, nsids), "each NSID once, in ascending order", Arrays.toString(nsids));
        for (long nsid : nsids) {
            expect(
                    namespaceOf(association, nsid).get(Field.NSZE) > 0,
                    "Identify Namespace of NSID " + nsid + ", which is active, with NSZE above 0",
                    0);
        }
    }

    @Check(
            says = "Identify CNS 02h: nothing but zeros after the last active namespace",
            source = "NVMe Base 2.0 s4.4.2")
    void activeListEnd() throws IOException {
        ByteBuffer data = associate().identified(Cns.ACTIVE_NAMESPACE_LIST, 0);
        int entries = NamespaceList.decode(data, 0).length;
        for (int i = entries; i < NamespaceList.MAX_ENTRIES; i++) {
            expectEquals(0, data.getInt(4 * i), "entry " + i + " after the last");
        }
    }

    @Check(
            says = "Identify CNS 02h from an active NSID: the active namespaces after it, and not itself",
            source = "NVMe Base 2.0 s5.17.2.2")
    void activeListFrom() throws IOException {
        Association association = associate();
        long[] all = activeNsids(association);
        for (int i = 0; i < Math.min(all.length, 16); i++) {
            long[] after = NamespaceList.decode(association.identified(Cns.ACTIVE_NAMESPACE_LIST, all[i]), 0);
            long[] expected = Arrays.copyOfRange(all, i + 1, all.length);
            expectEquals(Arrays.toString(expected), Arrays.toString(after), "after NSID " + all[i]);
        }
    }

    @Check(says = "Identify CNS 02h from NSID FFFFFFFEh: 0/0Bh", source = "NVMe Base 2.0 s5.17.2.2")
    void activeListFromFffffffe() throws IOException {
        expectNoList(HIGHEST_NSID);
    }

    @Check(says = "Identify CNS 02h from NSID FFFFFFFFh: 0/0Bh", source = "NVMe Base 2.0 s5.17.2.2")
    void activeListFromFfffffff() throws IOException {
        expectNoList(Sqe.NSID_ALL);
    }

    private void expectNoList(long after) throws IOException {
        Answer answer = associate().identify(Cns.ACTIVE_NAMESPACE_LIST, after);
        if (answer.isSuccess() && isZero(answer)) {
            deviates("an empty list after NSID " + hex(after), "older Linux nvmet");
        } else {
            expectStatus(answer, Status.INVALID_NAMESPACE_OR_FORMAT);
        }
    }

    private static boolean isZero(Answer answer) {
        return Arrays.equals(new byte[answer.data().length], answer.data());
    }

    // ---- what they are like

    @Check(
            says = "Identify CNS 00h of an active namespace: NSZE >= NCAP >= NUSE",
            source = "NVM Command Set 1.0 s4.1.5.1")
    void sizes() throws IOException {
        IdentifyNamespace data = namespaceOf(associate(), nsid());
        long size = data.get(Field.NSZE);
        long capacity = data.get(Field.NCAP);
        long used = data.get(Field.NUSE);
        expect(Long.compareUnsigned(capacity, size) <= 0, "NCAP of at most NSZE " + size, capacity);
        expect(Long.compareUnsigned(used, capacity) <= 0, "NUSE of at most NCAP " + capacity, used);
    }

    @Check(
            says =
                    "Identify CNS 00h of an active namespace: FLBAS names one of the NLBAF formats, with blocks of 512 bytes"
                            + " to 64 KiB",
            source = "NVM Command Set 1.0 s4.1.5.1; hosts give up on other blocks")
    void lbaFormat() throws IOException {
        IdentifyNamespace data = namespaceOf(associate(), nsid());
        int index = data.currentLbaFormatIndex();
        long last = data.get(Field.NLBAF) + data.get(Field.NULBAF);
        expect(index <= last, "a format up to " + last, "format " + index);
        LbaFormat format = data.currentLbaFormat();
        expect(
                format.blockShift() >= SMALLEST_BLOCK_SHIFT && format.blockShift() <= LARGEST_BLOCK_SHIFT,
                "LBADS from 9 to 16",
                format.blockShift());
    }

    @Check(
            says = "Identify CNS 00h of an inactive NSID up to NN: zeros",
            source = "NVM Command Set 1.0 s4.1.5.1; hosts look for namespaces in this way")
    void inactive() throws IOException {
        Association association = associate();
        Answer answer = association.identify(Cns.NAMESPACE, inactiveNsid(association));
        expectSuccess(answer, "Identify Namespace");
        expect(isZero(answer), "zeros alone", "other data");
    }

    @Check(says = "Identify CNS 00h of NSID 0: 0/0Bh", source = "NVMe Base 2.0 s5.17.1")
    void nsidZero() throws IOException {
        expectNone(0);
    }

    @Check(says = "Identify CNS 00h of NSID NN + 1: 0/0Bh", source = "NVMe Base 2.0 s5.17.1")
    void nsidBeyondNn() throws IOException {
        long last = facts().controller().get(IdentifyController.Field.NN);
        skipUnless(last < HIGHEST_NSID, "every NSID is up to NN");
        expectNone(last + 1);
    }

    private void expectNone(long nsid) throws IOException {
        Answer answer = associate().identify(Cns.NAMESPACE, nsid);
        if (answer.isSuccess() && isZero(answer)) {
            deviates("zeros for NSID " + hex(nsid), LINUX);
        } else {
            expectStatus(answer, Status.INVALID_NAMESPACE_OR_FORMAT);
        }
    }

    @Check(
            says = "Identify CNS 00h of NSID FFFFFFFFh: what all namespaces have in common, or 0/0Bh",
            source = "NVM Command Set 1.0 s4.1.5.1")
    void nsidAll() throws IOException {
        Answer answer = associate().identify(Cns.NAMESPACE, Sqe.NSID_ALL);
        expectStatus(answer, Status.SUCCESS, Status.INVALID_NAMESPACE_OR_FORMAT);
        if (answer.isSuccess()) {
            IdentifyNamespace data = IdentifyNamespace.decode(littleEndian(answer.data()), 0);
            expectEquals(0, data.get(Field.NSZE), "NSZE, which namespaces do not share,");
        }
    }

    // ---- what they are known by

    @Check(
            says = "Identify CNS 03h: an NGUID, an EUI64 or a UUID",
            source = "NVMe Base 2.0 s5.17.2.3; hosts find no stable name without one")
    void descriptors() throws IOException {
        NamespaceDescriptors descriptors =
                NamespaceDescriptors.decode(associate().identified(Cns.NAMESPACE_DESCRIPTORS, nsid()), 0);
        expect(descriptors.identify(), "an identifier that is not zero", descriptors);
    }

    @Check(
            says = "Identify CNS 03h: descriptors of the right length, none twice, none of zeros, and an end",
            source = "NVMe Base 2.0 s5.17.2.3; hosts stop at the first that is not right")
    void descriptorFormat() throws IOException {
        ByteBuffer data = associate().identified(Cns.NAMESPACE_DESCRIPTORS, nsid());
        Map<Integer, byte[]> seen = new HashMap<>();
        int at = 0;
        while ((data.get(at + 1) & 0xFF) != 0) {
            int type = data.get(at) & 0xFF;
            int length = data.get(at + 1) & 0xFF;
            int right = IDENTIFIER_BYTES.getOrDefault(type, length);
            expectEquals(right, length, "NIDL of a descriptor of type " + type);
            int end = at + DESCRIPTOR_HEADER_BYTES + length;
            expect(end + DESCRIPTOR_HEADER_BYTES <= data.capacity(), "an end of the list", "descriptors up to the end");
            byte[] identifier = Arrays.copyOfRange(data.array(), at + DESCRIPTOR_HEADER_BYTES, end);
            expect(seen.put(type, identifier) == null, "one descriptor of type " + type, "two");
            boolean mayBeZero = type == NamespaceDescriptors.TYPE_CSI;
            expect(
                    mayBeZero || !Arrays.equals(new byte[length], identifier),
                    "no zeros as the identifier of type " + type,
                    "zeros");
            at = end;
        }
    }

    @Check(
            says = "Identify CNS 03h and CNS 00h: the same NGUID and EUI64",
            source = "NVMe Base 2.0 s5.17.2.3; the Linux host says \"identifiers changed\"")
    void sameInDescriptors() throws IOException {
        Association association = associate();
        IdentifyNamespace data = namespaceOf(association, nsid());
        NamespaceDescriptors descriptors =
                NamespaceDescriptors.decode(association.identified(Cns.NAMESPACE_DESCRIPTORS, nsid()), 0);
        expectEquals(data.nguid(), descriptors.nguid(), "NGUID");
        expectEquals(hex(data.eui64()), hex(descriptors.eui64()), "EUI64");
    }

    @Check(
            says = "Identify CNS 03h of two namespaces: no identifier in common",
            source = "NVMe Base 2.0 s5.17.2.3; the Linux host says \"duplicate IDs\"")
    void uniqueIdentifiers() throws IOException {
        Association association = associate();
        long[] nsids = activeNsids(association);
        skipUnless(nsids.length > 1, "there is one namespace only");
        Map<Object, Long> owners = new HashMap<>();
        for (int i = 0; i < Math.min(nsids.length, 64); i++) {
            NamespaceDescriptors descriptors =
                    NamespaceDescriptors.decode(association.identified(Cns.NAMESPACE_DESCRIPTORS, nsids[i]), 0);
            for (Object identifier : new Object[] {descriptors.nguid(), descriptors.uuid(), descriptors.eui64()}) {
                boolean none = identifier.equals(NONE.nguid())
                        || identifier.equals(NONE.uuid())
                        || identifier.equals(NONE.eui64());
                Long owner = none ? null : owners.put(identifier, nsids[i]);
                expect(owner == null, "identifiers of NSID " + nsids[i] + " alone", identifier + " of " + owner);
            }
        }
    }

    private static final NamespaceDescriptors NONE =
            NamespaceDescriptors.decode(littleEndian(new byte[NamespaceDescriptors.BYTES]), 0);

    @Check(says = "Identify CNS 03h of an inactive NSID: 0/0Bh or 0/02h", source = "NVMe Base 2.0 s5.17.2.3")
    void descriptorsOfInactive() throws IOException {
        Association association = associate();
        expectStatus(
                association.identify(Cns.NAMESPACE_DESCRIPTORS, inactiveNsid(association)),
                Status.INVALID_NAMESPACE_OR_FORMAT,
                Status.INVALID_FIELD);
    }

    @Check(
            says = "after a new connection: the same identifiers, size and format as before",
            source = "NVMe Base 2.0 s5.17.2.3; the Linux host says \"identifiers changed\"")
    void sameAfterReconnect() throws IOException {
        Association before = associate();
        NamespaceDescriptors descriptors = descriptorsOf(before);
        IdentifyNamespace data = namespaceOf(before, nsid());
        before.admin().close();
        Association after = associate();
        expectEquals(descriptors, descriptorsOf(after), "descriptors");
        expectSameNamespace(data, namespaceOf(after, nsid()));
    }

    @Check(
            says = "a namespace that two controllers have: NMIC bit 0, and the same identifiers, size and format",
            source = "NVM Command Set 1.0 s4.1.5.1; multipath hosts take it for one namespace")
    void sameThroughTwoControllers() throws IOException {
        Association first = associate();
        Association second = associate();
        long[] nsids = activeNsids(second);
        skipUnless(Arrays.binarySearch(nsids, nsid()) >= 0, "the namespace is private");
        expectEquals(descriptorsOf(first), descriptorsOf(second), "descriptors");
        IdentifyNamespace data = namespaceOf(first, nsid());
        expectSameNamespace(data, namespaceOf(second, nsid()));
        expect(data.has(Field.NMIC, IdentifyNamespace.NMIC_SHARED), "NMIC bit 0", "NMIC " + hex(data.get(Field.NMIC)));
    }

    private NamespaceDescriptors descriptorsOf(Association association) throws IOException {
        return NamespaceDescriptors.decode(association.identified(Cns.NAMESPACE_DESCRIPTORS, nsid()), 0);
    }

    private void expectSameNamespace(IdentifyNamespace one, IdentifyNamespace other) {
        expectEquals(one.get(Field.NSZE), other.get(Field.NSZE), "NSZE");
        expectEquals(one.currentLbaFormat(), other.currentLbaFormat(), "format");
        expectEquals(one.nguid(), other.nguid(), "NGUID");
        expectEquals(hex(one.eui64()), hex(other.eui64()), "EUI64");
    }
}
