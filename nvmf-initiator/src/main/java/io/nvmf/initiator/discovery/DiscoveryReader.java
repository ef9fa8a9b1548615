package io.nvmf.initiator.discovery;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.log.DiscoveryLogEntry;
import io.nvmf.codec.log.DiscoveryLogHeader;
import io.nvmf.codec.log.LogPageId;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.controller.ControllerException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Reads the Discovery log of a discovery controller in pieces: header, entries, header again. A log that changed in
 * between is read again (NVMe Base 2.0 s5.16.1.23), a bounded number of times.
 */
public final class DiscoveryReader {
    static final int MAX_ATTEMPTS = 10;
    static final int MAX_ENTRIES = 16_384;

    private static final int MAX_PIECE_ENTRIES = 64;

    private final Controller controller;

    public DiscoveryReader(Controller controller) {
        this.controller = controller;
    }

    /** Completes on an event loop. */
    public CompletableFuture<DiscoveryResult> read() {
        return attempt(MAX_ATTEMPTS);
    }

    private CompletableFuture<DiscoveryResult> attempt(int attemptsLeft) {
        if (attemptsLeft == 0) {
            return CompletableFuture.failedFuture(new ControllerException(
                    controller + ": the Discovery log changed " + MAX_ATTEMPTS + " times while it was being read"));
        }
        return readHeader()
                .thenCompose(before -> readEntries(before, new ArrayList<>())
                        .thenCompose(entries -> readHeader().thenCompose(after -> {
                            boolean same = before.generation() == after.generation()
                                    && before.recordCount() == after.recordCount();
                            return same
                                    ? CompletableFuture.completedFuture(
                                            new DiscoveryResult(before.generation(), entries))
                                    : attempt(attemptsLeft - 1);
                        })));
    }

    private CompletableFuture<DiscoveryLogHeader> readHeader() {
        return controller
                .getLogPageAsync(LogPageId.DISCOVERY, Sqe.NSID_ALL, 0, DiscoveryLogHeader.BYTES)
                .thenApply(data -> {
                    DiscoveryLogHeader header = DiscoveryLogHeader.decode(data, 0);
                    if (header.recordFormat() != 0) {
                        throw new ControllerException(
                                controller + ": unknown Discovery log format " + header.recordFormat());
                    }
                    if (Long.compareUnsigned(header.recordCount(), MAX_ENTRIES) > 0) {
                        throw new ControllerException(controller + ": the Discovery log has "
                                + Long.toUnsignedString(header.recordCount()) + " entries, more than " + MAX_ENTRIES);
                    }
                    return header;
                });
    }

    private CompletableFuture<List<DiscoveryLogEntry>> readEntries(
            DiscoveryLogHeader header, List<DiscoveryLogEntry> found) {
        int left = (int) header.recordCount() - found.size();
        if (left == 0) {
            return CompletableFuture.completedFuture(found);
        }
        int count = Math.min(left, pieceEntries());
        long offset = DiscoveryLogHeader.BYTES + (long) found.size() * DiscoveryLogEntry.BYTES;
        return controller
                .getLogPageAsync(LogPageId.DISCOVERY, Sqe.NSID_ALL, offset, count * DiscoveryLogEntry.BYTES)
                .thenCompose(data -> {
                    addEntries(data, count, found);
                    return readEntries(header, found);
                });
    }

    private int pieceEntries() {
        return (int) Math.min(MAX_PIECE_ENTRIES, controller.maxTransferBytes() / DiscoveryLogEntry.BYTES);
    }

    private static void addEntries(ByteBuffer data, int count, List<DiscoveryLogEntry> found) {
        for (int i = 0; i < count; i++) {
            found.add(DiscoveryLogEntry.decode(data, i * DiscoveryLogEntry.BYTES));
        }
    }
}
