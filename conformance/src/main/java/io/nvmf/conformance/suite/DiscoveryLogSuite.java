package io.nvmf.conformance.suite;

import static io.nvmf.codec.log.DiscoveryLogEntry.EFLAGS_EXPLICIT_PERSISTENT_CONNECTIONS;
import static io.nvmf.codec.log.DiscoveryLogEntry.SUBTYPE_CURRENT_DISCOVERY;
import static io.nvmf.codec.log.DiscoveryLogEntry.SUBTYPE_NVM;
import static io.nvmf.codec.log.DiscoveryLogEntry.SUBTYPE_REFERRAL;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Status;
import io.nvmf.codec.feature.AsyncEventConfig;
import io.nvmf.codec.identify.Cns;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.log.DiscoveryLogEntry;
import io.nvmf.codec.log.DiscoveryLogEntry.Field;
import io.nvmf.codec.log.DiscoveryLogHeader;
import io.nvmf.codec.log.GetLogPageCommand;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The discovery log. */
@SuiteName(value = "DISC.LOG", subsystem = false)
public final class DiscoveryLogSuite extends DiscoverySuite {
    private static final String LOG = "NVMe Base 2.0 s5.16.1.23";
    private static final int SUBSYSTEM_NQN_OFFSET = 256;
    private static final int NQN_BYTES = 256;
    private static final int SERVICE_ID_OFFSET = 32;
    private static final int SERVICE_ID_BYTES = 32;
    private static final int ADDRESS_OFFSET = 512;
    private static final int ADDRESS_BYTES = 256;
    private static final int SMALLEST_ADMIN_QUEUE = 32;
    private static final int SECURE_CHANNEL_MASK = 3;
    private static final int EFLAGS_MASK = 7;
    /** Extended entries, port local entries, all subsystems. */
    private static final int[] LSP = {1, 2, 4};

    // ---- the header

    @Check(says = "The first 1024 bytes: RECFMT 0 and at least as many entries as can be read", source = LOG)
    void header() throws IOException {
        Association discovery = discovery();
        DiscoveryLogHeader header = header(discovery);
        expectEquals(0, header.recordFormat(), "RECFMT");
        expect(header.recordCount() >= 0 && header.recordCount() < 1 << 20, "a NUMREC that can be", header);
        log(discovery);
    }

    @Check(says = "The first 16 bytes alone: the same GENCTR and NUMREC", source = "hosts read no more at first")
    void headerAlone() throws IOException {
        Association discovery = discovery();
        byte[] whole = read(discovery, DiscoveryLogHeader.BYTES, 0);
        byte[] head = read(discovery, 16, 0);
        expect(
                Arrays.equals(head, Arrays.copyOf(whole, 16)),
                "the first 16 bytes of the header",
                Arrays.toString(head));
    }

    @Check(says = "Read twice without a change, by two controllers: the same GENCTR and the same log", source = LOG)
    void twice() throws IOException {
        byte[] first = log(discovery());
        byte[] second = log(discovery());
        expectEquals(header(first).generation(), header(second).generation(), "GENCTR");
        expect(Arrays.equals(first, second), "the same log", "another one with the same GENCTR");
    }

    // ---- parts of it

    @Check(says = "Read in pieces of 4 bytes: what 4096 bytes at once read", source = LOG)
    void piecesOf4() throws IOException {
        Association discovery = discovery();
        int length = Math.min(2 * DiscoveryLogHeader.BYTES, log(discovery).length);
        byte[] whole = read(discovery, length, 0);
        for (int at = 0; at < length; at += 4) {
            byte[] piece = read(discovery, 4, at);
            expect(Arrays.equals(piece, Arrays.copyOfRange(whole, at, at + 4)), "what is at " + at, "other bytes");
        }
    }

    @Check(says = "Read in pieces of 1024 bytes: what 4096 bytes at once read", source = LOG)
    void piecesOf1024() throws IOException {
        expectSame(1024);
    }

    @Check(says = "Read in pieces of 700 bytes, across entries: what 4096 bytes at once read", source = LOG)
    void piecesOf700() throws IOException {
        expectSame(700);
    }

    private void expectSame(int pieceBytes) throws IOException {
        Association discovery = discovery();
        byte[] whole = log(discovery);
        byte[] pieces = log(discovery, pieceBytes);
        int differs = Arrays.mismatch(whole, pieces);
        expect(differs < 0, "the same log in pieces of " + pieceBytes, "another byte at " + differs);
    }

    @Check(says = "A read that goes beyond the end: success, with what there is", source = "NVMe Base 2.0 s5.16")
    void beyondEnd() throws IOException {
        Association discovery = discovery();
        byte[] log = log(discovery);
        skipUnless(log.length <= 64 << 10, "the log is long");
        int from = log.length - DiscoveryLogEntry.BYTES;
        byte[] tail = read(discovery, 2 * DiscoveryLogEntry.BYTES, from);
        int differs = Arrays.mismatch(
                Arrays.copyOfRange(log, from, log.length), Arrays.copyOf(tail, DiscoveryLogEntry.BYTES));
        expect(differs < 0, "the last entry first", "another byte at " + differs);
    }

    @Check(says = "LPO that is not a multiple of 4: Invalid Field", source = "NVMe Base 2.0 s5.16")
    void unalignedOffset() throws IOException {
        expectStatus(discovery().admin(getLog(16, 2), 16), Status.INVALID_FIELD);
    }

    @Check(says = "LPO far beyond the end: Invalid Field", source = "NVMe Base 2.0 s5.16", level = Level.SHOULD)
    void offsetBeyondEnd() throws IOException {
        expectStatus(discovery().admin(getLog(1024, 1L << 40), 1024), Status.INVALID_FIELD);
    }

    @Check(
            says = "LSP asks for extended or port local entries or all subsystems: heeded, ignored or Invalid Field",
            source = LOG,
            level = Level.SHOULD)
    void specificParameter() throws IOException {
        Association discovery = discovery();
        for (int lsp : LSP) {
            Answer answer = discovery.admin(
                    GetLogPageCommand.lsp(getLog(DiscoveryLogHeader.BYTES, 0), lsp), DiscoveryLogHeader.BYTES);
            expectStatus(answer, Status.SUCCESS, Status.INVALID_FIELD);
            if (answer.isSuccess()) {
                expectEquals(0, header(answer.data()).recordFormat(), "RECFMT with LSP " + lsp);
            }
        }
    }

    // ---- entries

    @Check(says = "Entries: TRTYPE, ADRFAM and SUBTYPE are defined ones", source = LOG)
    void types() throws IOException {
        for (ByteBuffer entry : entries(discovery())) {
            expectOneOf(entry, Field.TRTYPE, 1, 2, 3, 0xFE);
            expectOneOf(entry, Field.ADRFAM, 1, 2, 3, 4, 0xFE);
            expectOneOf(entry, Field.SUBTYPE, 1, 2, 3);
        }
    }

    private void expectOneOf(ByteBuffer entry, Field field, long... allowed) {
        long value = get(entry, field);
        expect(
                Arrays.stream(allowed).anyMatch(one -> one == value),
                field + " of " + Arrays.toString(allowed),
                value + " for " + name(entry));
    }

    private static long get(ByteBuffer entry, Field field) {
        return DiscoveryLogEntry.decode(entry, 0).get(field);
    }

    private static String name(ByteBuffer entry) {
        DiscoveryLogEntry decoded = DiscoveryLogEntry.decode(entry, 0);
        return decoded.subsystemNqn() + " at " + decoded.transportAddress() + " " + decoded.serviceId();
    }

    @Check(says = "Entries: ASQSZ is at least 32", source = LOG)
    void adminQueueSize() throws IOException {
        for (ByteBuffer entry : entries(discovery())) {
            long size = get(entry, Field.ASQSZ);
            expect(size >= SMALLEST_ADMIN_QUEUE, "ASQSZ of at least 32", size + " for " + name(entry));
        }
    }

    @Check(says = "Entries: CNTLID is FFFFh, FFFEh or that of a controller", source = LOG)
    void controllerIds() throws IOException {
        for (ByteBuffer entry : entries(discovery())) {
            long id = get(entry, Field.CNTLID);
            expect(id <= 0xFFEF || id >= 0xFFFE, "a CNTLID", hex(id) + " for " + name(entry));
        }
    }

    @Check(says = "Entries: TREQ and EFLAGS have no reserved bits", source = LOG, level = Level.SHOULD)
    void flags() throws IOException {
        for (ByteBuffer entry : entries(discovery())) {
            long channel = get(entry, Field.TREQ) & SECURE_CHANNEL_MASK;
            expect(channel != SECURE_CHANNEL_MASK, "a defined TREQ", channel + " for " + name(entry));
            expectEquals(0, get(entry, Field.EFLAGS) & ~EFLAGS_MASK, "reserved bits of EFLAGS of " + name(entry));
        }
    }

    @Check(says = "Entries: SUBNQN ends and has 1 to 223 bytes", source = LOG)
    void names() throws IOException {
        for (ByteBuffer entry : entries(discovery())) {
            String nqn = DiscoveryLogEntry.decode(entry, 0).subsystemNqn();
            expect(Bytes.isTerminated(entry, SUBSYSTEM_NQN_OFFSET, NQN_BYTES), "a SUBNQN that ends", nqn);
            int length = nqn.getBytes(StandardCharsets.UTF_8).length;
            expect(length >= 1 && length <= 223, "a SUBNQN of 1 to 223 bytes", length + ": " + nqn);
        }
    }

    @Check(says = "Entries: TRADDR and TRSVCID are ASCII, padded with spaces or NULs", source = LOG)
    void text() throws IOException {
        for (ByteBuffer entry : entries(discovery())) {
            expectText(entry, ADDRESS_OFFSET, ADDRESS_BYTES, "TRADDR");
            expectText(entry, SERVICE_ID_OFFSET, SERVICE_ID_BYTES, "TRSVCID");
        }
    }

    private void expectText(ByteBuffer entry, int offset, int length, String what) {
        boolean ended = false;
        for (int i = 0; i < length; i++) {
            int b = Bytes.u8(entry, offset + i);
            ended |= b == 0;
            boolean right = ended ? b == 0 || b == ' ' : b >= ' ' && b < 0x7F;
            expect(right, "text in " + what + " of " + name(entry), "byte " + hex(b) + " at " + i);
        }
    }

    @Check(says = "Entries over IP: TRADDR fits ADRFAM, can be reached, and TRSVCID is a port", source = LOG)
    void addresses() throws IOException {
        for (ByteBuffer entry : overIp(entries(discovery())).toList()) {
            DiscoveryLogEntry decoded = DiscoveryLogEntry.decode(entry, 0);
            String address = decoded.transportAddress();
            boolean wildcard = address.equals("0.0.0.0") || address.equals("::") || address.isEmpty();
            expect(!wildcard, "an address that can be reached", name(entry));
            boolean ipv6 = get(entry, Field.ADRFAM) == DiscoveryLogEntry.ADRFAM_IPV6;
            expectEquals(ipv6, address.contains(":"), "that ADRFAM and TRADDR speak of IPv6, for " + name(entry));
            expect(decoded.serviceId().matches("[1-9][0-9]{0,4}"), "a port in TRSVCID", name(entry));
        }
    }

    private static Stream<ByteBuffer> overIp(List<ByteBuffer> entries) {
        Set<Long> ip = Set.of((long) DiscoveryLogEntry.ADRFAM_IPV4, (long) DiscoveryLogEntry.ADRFAM_IPV6);
        Set<Long> types = Set.of((long) DiscoveryLogEntry.TRTYPE_TCP, (long) DiscoveryLogEntry.TRTYPE_RDMA);
        return entries.stream()
                .filter(entry -> ip.contains(get(entry, Field.ADRFAM)) && types.contains(get(entry, Field.TRTYPE)));
    }

    // ---- what they mean

    @Check(says = "The subsystem under test: there with this address", source = LOG, level = Level.SHOULD)
    void ownSubsystem() throws IOException {
        String nqn = bench().target().subsystemNqn();
        skipUnless(!nqn.isEmpty(), "the URI names no subsystem");
        List<ByteBuffer> entries = entries(discovery());
        boolean there = entries.stream()
                .anyMatch(entry -> isHere(entry)
                        && DiscoveryLogEntry.decode(entry, 0).subsystemNqn().equals(nqn)
                        && get(entry, Field.SUBTYPE) == SUBTYPE_NVM);
        expect(
                there,
                nqn + " at " + bench().target().address(),
                entries.stream().map(DiscoveryLogSuite::name).toList());
    }

    private boolean isHere(ByteBuffer entry) {
        InetSocketAddress address = bench().target().address();
        DiscoveryLogEntry decoded = DiscoveryLogEntry.decode(entry, 0);
        return decoded.get(Field.TRTYPE) == bench().target().transport().trtype()
                && isAddress(decoded.transportAddress(), address.getAddress())
                && decoded.serviceId().equals(Integer.toString(address.getPort()));
    }

    private static boolean isAddress(String text, InetAddress address) {
        try {
            // Names are not looked up: what comes from a target leads nowhere else.
            return text.matches("[0-9A-Fa-f.:]+") && InetAddress.getByName(text).equals(address);
        } catch (UnknownHostException e) {
            return false;
        }
    }

    @Check(says = "Referrals: none leads to this address, where a host would begin anew", source = LOG)
    void referrals() throws IOException {
        for (ByteBuffer entry : entries(discovery())) {
            expect(
                    get(entry, Field.SUBTYPE) != SUBTYPE_REFERRAL || !isHere(entry),
                    "no referral to where the log comes from",
                    name(entry));
        }
    }

    @Check(
            says =
                    "The entry of the discovery subsystem itself: EFLAGS says whether a host may stay to hear of changes",
            source = LOG,
            level = Level.SHOULD)
    void ownEntry() throws IOException {
        Association discovery = discovery();
        IdentifyController controller = IdentifyController.decode(discovery.identified(Cns.CONTROLLER, 0), 0);
        boolean tells = (controller.get(IdentifyController.Field.OAES) & AsyncEventConfig.DISCOVERY_LOG_CHANGE) != 0;
        List<ByteBuffer> own = entries(discovery).stream()
                .filter(entry -> get(entry, Field.SUBTYPE) == SUBTYPE_CURRENT_DISCOVERY)
                .toList();
        skipUnless(!own.isEmpty(), "the log has no entry of the discovery subsystem itself");
        skipUnless(tells, "it does not tell of changes");
        for (ByteBuffer entry : own) {
            boolean stays = (get(entry, Field.EFLAGS) & EFLAGS_EXPLICIT_PERSISTENT_CONNECTIONS) != 0;
            expect(stays, "EFLAGS bit 1, for OAES bit 31 is set", hex(get(entry, Field.EFLAGS)) + " of " + name(entry));
        }
    }

    @Check(says = "Entries of this address: no secure channel is required, for there is none", source = LOG)
    void secureChannel() throws IOException {
        for (ByteBuffer entry : entries(discovery())) {
            boolean required = (get(entry, Field.TREQ) & SECURE_CHANNEL_MASK) == DiscoveryLogEntry.TREQ_REQUIRED;
            expect(
                    !required || !isHere(entry),
                    "TREQ without a secure channel required, where the log is read without one",
                    name(entry));
        }
    }
}
