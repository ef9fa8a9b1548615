package io.nvmf.conformance.suite;

import io.nvmf.codec.Nqn;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.log.DiscoveryLogEntry;
import io.nvmf.codec.log.DiscoveryLogHeader;
import io.nvmf.codec.log.GetLogPageCommand;
import io.nvmf.codec.log.LogPageId;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.ConnectSpec;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.RawQueue;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What suites about discovery have in common. */
abstract class DiscoverySuite extends FabricsSuite {
    /** Every target sends as much at once. */
    private static final int PIECE_BYTES = 4096;
    /** As many entries are looked at. */
    private static final int MOST_ENTRIES = 256;

    /** An enabled discovery controller; the check is skipped where there is none. */
    final Association discovery() throws IOException {
        return discovery(bench().connectSpec(Nqn.DISCOVERY));
    }

    /** The same with something else in Connect. */
    final Association discovery(ConnectSpec spec) throws IOException {
        RawQueue probe = bench().queue(0, Association.DEPTH);
        Answer answer = bench().connect(probe, bench().connectSpec(Nqn.DISCOVERY));
        skipUnless(
                !answer.isCompleted() || answer.status() != Status.CONNECT_INVALID_PARAMETERS,
                "the address does not offer discovery");
        expectSuccess(answer, "Connect to the discovery subsystem");
        probe.close();
        return bench().associate(spec).enable();
    }

    // ---- the log

    /** Get Log Page of the discovery log. */
    static Sqe getLog(long lengthBytes, long offset) {
        return GetLogPageCommand.encode(Sqe.allocate(), LogPageId.DISCOVERY, lengthBytes, offset);
    }

    /** A part of the log, which must be had. */
    final byte[] read(Association discovery, int lengthBytes, long offset) throws IOException {
        Answer answer = discovery.admin(getLog(lengthBytes, offset), lengthBytes);
        return expectSuccess(answer, "Get Log Page of " + lengthBytes + " bytes at " + offset)
                .data();
    }

    final DiscoveryLogHeader header(Association discovery) throws IOException {
        return header(read(discovery, DiscoveryLogHeader.BYTES, 0));
    }

    static DiscoveryLogHeader header(byte[] log) {
        return DiscoveryLogHeader.decode(littleEndian(log), 0);
    }

    static ByteBuffer littleEndian(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** The header and the entries, of a very long log the first ones. */
    final byte[] log(Association discovery) throws IOException {
        return log(discovery, PIECE_BYTES);
    }

    /** The same, read in pieces of this length. */
    final byte[] log(Association discovery, int pieceBytes) throws IOException {
        long entries = Math.min(header(discovery).recordCount(), MOST_ENTRIES);
        byte[] log = new byte[DiscoveryLogHeader.BYTES + (int) entries * DiscoveryLogEntry.BYTES];
        for (int at = 0; at < log.length; at += pieceBytes) {
            int length = Math.min(pieceBytes, log.length - at);
            System.arraycopy(read(discovery, length, at), 0, log, at, length);
        }
        return log;
    }

    /** The entries of the log, each as it travels. */
    final List<ByteBuffer> entries(Association discovery) throws IOException {
        byte[] log = log(discovery);
        List<ByteBuffer> entries = new ArrayList<>();
        for (int at = DiscoveryLogHeader.BYTES; at < log.length; at += DiscoveryLogEntry.BYTES) {
            entries.add(littleEndian(Arrays.copyOfRange(log, at, at + DiscoveryLogEntry.BYTES)));
        }
        return entries;
    }
}
