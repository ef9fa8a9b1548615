package io.nvmf.target.transport.rdma;

import io.nvmf.codec.rdma.RejectReason;
import io.nvmf.target.transport.rdma.QueueRequest.Refusal;
import io.nvmf.transport.MemorySlab;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;

/**
 * The memory for capsules, and how queues share it. A request for a connection takes memory before anybody has said who he
 * is, so what queues without a successful Connect hold is bounded, and what those of one address hold is bounded by half of
 * that; a part is for admin queues alone. An address with a queue that has connected is known and is not held to those
 * bounds: a host asks for all its I/O queues before it connects the first of them. Owned by the control loop.
 */
final class ReceiveMemory {
    /** Of all memory, for I/O queues that have not connected. */
    private static final int UNCONNECTED_PART = 2;
    /** Of all memory, for admin queues; those that have not connected hold no more than this. */
    private static final int ADMIN_PART = 16;

    private final MemorySlab slab;
    private final long adminReserveBytes;
    private final Unconnected io;
    private final Unconnected admin;
    /** How many queues of each address have connected. */
    private final Map<InetAddress, Integer> connectedQueues = new HashMap<>();
    /** What queue pairs take up beside the slab. */
    private long pairBytes;

    ReceiveMemory(long capacityBytes) {
        slab = new MemorySlab(capacityBytes);
        adminReserveBytes = slab.capacityBytes() / ADMIN_PART;
        io = new Unconnected(slab.capacityBytes() / UNCONNECTED_PART);
        admin = new Unconnected(adminReserveBytes);
    }

    MemorySlab slab() {
        return slab;
    }

    long bytesInUse() {
        return slab.capacityBytes() - slab.freeBytes() + pairBytes;
    }

    /**
     * Lets a queue take memory from the slab, now.
     *
     * @param slabBytes that it will take
     * @param pairBytes that its queue pair takes up elsewhere
     * @throws Refusal when it may not have so much
     */
    Share share(InetAddress peer, boolean isAdmin, long slabBytes, long pairBytes) throws Refusal {
        Unconnected unconnected = isAdmin ? admin : io;
        long left = slab.freeBytes() - this.pairBytes - slabBytes - pairBytes;
        if (left < (isAdmin ? 0 : adminReserveBytes)) {
            throw new Refusal(RejectReason.NO_RESOURCES, "the memory for capsules is all in use");
        }
        boolean isKnown = connectedQueues.containsKey(peer);
        if (!isKnown && unconnected.isFull(peer)) {
            throw new Refusal(
                    RejectReason.NO_RESOURCES,
                    "queues that have not connected hold as much of the memory for capsules as they may");
        }
        this.pairBytes += pairBytes;
        if (!isKnown) {
            unconnected.add(peer, slabBytes + pairBytes);
        }
        return new Share(isKnown ? null : unconnected, peer, slabBytes + pairBytes, pairBytes);
    }

    /** What one queue holds. */
    final class Share {
        private final InetAddress peer;
        private final long bytes;
        private long ownPairBytes;
        /** Null when it counts as no stranger's, or not any more. */
        private Unconnected countedBy;

        private boolean isConnected;
        private boolean isReleased;

        private Share(Unconnected countedBy, InetAddress peer, long bytes, long ownPairBytes) {
            this.countedBy = countedBy;
            this.peer = peer;
            this.bytes = bytes;
            this.ownPairBytes = ownPairBytes;
        }

        /** Connect has succeeded. */
        void connected() {
            if (!isConnected && !isReleased) {
                isConnected = true;
                connectedQueues.merge(peer, 1, Integer::sum);
                uncount();
            }
        }

        private void uncount() {
            if (countedBy != null) {
                countedBy.remove(peer, bytes);
                countedBy = null;
            }
        }

        /** The queue is no more, and the slab has its memory back. May be called again. */
        void release() {
            uncount();
            if (isConnected && !isReleased) {
                connectedQueues.computeIfPresent(peer, (key, count) -> count == 1 ? null : count - 1);
            }
            isReleased = true;
            pairBytes -= ownPairBytes;
            ownPairBytes = 0;
        }
    }

    /**
     * Queues that have not connected. None is added when as much is held as may be: so one queue more than the bound may be
     * there, and the largest finds its place in the smallest memory.
     */
    private static final class Unconnected {
        private final long boundBytes;
        private final Map<InetAddress, Long> bytesOfPeers = new HashMap<>();
        private long bytes;

        Unconnected(long boundBytes) {
            this.boundBytes = boundBytes;
        }

        boolean isFull(InetAddress peer) {
            return bytes >= boundBytes || bytesOfPeers.getOrDefault(peer, 0L) >= boundBytes / 2;
        }

        void add(InetAddress peer, long added) {
            bytes += added;
            bytesOfPeers.merge(peer, added, Long::sum);
        }

        void remove(InetAddress peer, long removed) {
            bytes -= removed;
            bytesOfPeers.computeIfPresent(peer, (key, held) -> held == removed ? null : held - removed);
        }
    }
}
