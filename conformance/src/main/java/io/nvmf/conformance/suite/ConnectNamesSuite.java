package io.nvmf.conformance.suite;

import static io.nvmf.codec.fabrics.ConnectData.NQN_BYTES;
import static java.nio.charset.StandardCharsets.US_ASCII;

import io.nvmf.codec.Nqn;
import io.nvmf.codec.Status;
import io.nvmf.codec.fabrics.ConnectData;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.ConnectSpec;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.SuiteName;
import java.io.IOException;
import java.util.Locale;
import java.util.UUID;

/** SUBNQN and HOSTNQN of Connect. */
@SuiteName("FABRICS.NAMES")
public final class ConnectNamesSuite extends FabricsSuite {
    private static final String CONNECT = "NVMe Base 2.0 s6.3";
    private static final String NAMES = "NVMe Base 2.0 s4.5";
    /** Bytes that no UTF-8 text has. */
    private static final byte[] NOT_UTF8 = {'n', 'q', 'n', '.', (byte) 0xFF, (byte) 0xC0, (byte) 0x80, 0};

    // ---- SUBNQN

    @Check(says = "A SUBNQN that no subsystem has: Invalid Parameters, IPO 256 in the data", source = CONNECT)
    void unknownSubsystem() throws IOException {
        String nqn = Nqn.UUID_PREFIX + new UUID(bench().target().seed(), 88);
        expectInvalid(tryConnect(connect().subsystemNqn(nqn)), true, ConnectData.SUBSYSTEM_NQN_OFFSET);
    }

    @Check(says = "The SUBNQN in capitals: Invalid Parameters", source = NAMES, level = Level.SHOULD)
    void subsystemInCapitals() throws IOException {
        String nqn = bench().target().subsystemNqn();
        String other = nqn.substring(0, 3) + nqn.substring(3).toUpperCase(Locale.ROOT);
        skipUnless(!other.equals(nqn), "its NQN has no small letters");
        expectStatus(tryConnect(connect().subsystemNqn(other)), Status.CONNECT_INVALID_PARAMETERS);
    }

    @Check(says = "An empty SUBNQN: Invalid Parameters", source = CONNECT, level = Level.ROBUST)
    void subsystemEmpty() throws IOException {
        expectNoSubsystem(connect().subsystemNqn(""));
    }

    @Check(says = "A SUBNQN without end: Invalid Parameters", source = CONNECT, level = Level.ROBUST)
    void subsystemWithoutEnd() throws IOException {
        expectNoSubsystem(connect().subsystemNqn("a".repeat(NQN_BYTES).getBytes(US_ASCII)));
    }

    @Check(
            says = "The SUBNQN with more behind it and no end: Invalid Parameters",
            source = CONNECT,
            level = Level.ROBUST)
    void subsystemThatGoesOn() throws IOException {
        String nqn = bench().target().subsystemNqn();
        String longer = nqn + "x".repeat(NQN_BYTES - nqn.getBytes(US_ASCII).length);
        expectNoSubsystem(connect().subsystemNqn(longer.getBytes(US_ASCII)));
    }

    @Check(says = "A SUBNQN that is no UTF-8: Invalid Parameters", source = CONNECT, level = Level.ROBUST)
    void subsystemNotUtf8() throws IOException {
        expectNoSubsystem(connect().subsystemNqn(NOT_UTF8));
    }

    private void expectNoSubsystem(ConnectSpec spec) throws IOException {
        expectStatus(tryConnect(spec), Status.CONNECT_INVALID_PARAMETERS);
        expectAlive();
    }

    // ---- HOSTNQN

    @Check(
            says = "A HOSTNQN that is no NQN: accepted, or Invalid Host where hosts are named",
            source = "hosts with such names exist",
            level = Level.SHOULD)
    void hostWithAnyName() throws IOException {
        expectStatus(tryConnect(connect().hostNqn("host-1")), Status.SUCCESS, Status.CONNECT_INVALID_HOST);
    }

    @Check(
            says = "A HOSTNQN of 223 bytes, the longest: accepted, or Invalid Host where hosts are named",
            source = NAMES)
    void hostLongest() throws IOException {
        expectStatus(tryConnect(connect().hostNqn(nqnOf(Nqn.MAX_BYTES))), Status.SUCCESS, Status.CONNECT_INVALID_HOST);
    }

    private static String nqnOf(int lengthBytes) {
        String start = "nqn.2014-08.org.nvmexpress:";
        return start + "h".repeat(lengthBytes - start.length());
    }

    @Check(says = "A HOSTNQN of 224 bytes: accepted or refused", source = NAMES, level = Level.ROBUST)
    void hostTooLong() throws IOException {
        expectTakenOrRefused(connect().hostNqn(nqnOf(Nqn.MAX_BYTES + 1)));
    }

    @Check(says = "A HOSTNQN without end: accepted or refused", source = CONNECT, level = Level.ROBUST)
    void hostWithoutEnd() throws IOException {
        expectTakenOrRefused(connect().hostNqn("a".repeat(NQN_BYTES).getBytes(US_ASCII)));
    }

    @Check(says = "An empty HOSTNQN: accepted or refused", source = CONNECT, level = Level.ROBUST)
    void hostEmpty() throws IOException {
        expectTakenOrRefused(connect().hostNqn(""));
    }

    @Check(says = "A HOSTNQN that is no UTF-8: accepted or refused", source = CONNECT, level = Level.ROBUST)
    void hostNotUtf8() throws IOException {
        expectTakenOrRefused(connect().hostNqn(NOT_UTF8));
    }

    private void expectTakenOrRefused(ConnectSpec spec) throws IOException {
        expectStatus(
                tryConnect(spec),
                Status.SUCCESS,
                Status.CONNECT_INVALID_PARAMETERS,
                Status.CONNECT_INVALID_HOST,
                Status.INVALID_FIELD);
        expectAlive();
    }
}
