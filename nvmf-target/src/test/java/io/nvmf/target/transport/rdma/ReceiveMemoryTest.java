package io.nvmf.target.transport.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.nvmf.codec.rdma.RejectReason;
import io.nvmf.target.transport.rdma.QueueRequest.Refusal;
import io.nvmf.transport.MemoryBlock;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** 16 MiB: 8 for I/O queues that have not connected, 4 of one peer; 1 for admin queues. */
class ReceiveMemoryTest {
    private static final int MIB = 1 << 20;

    private final ReceiveMemory memory = new ReceiveMemory(16 * MIB);
    private final List<ReceiveMemory.Share> shares = new ArrayList<>();
    private final List<MemoryBlock> blocks = new ArrayList<>();

    private static InetAddress peer(int number) {
        try {
            return InetAddress.getByAddress(new byte[] {(byte) 192, 0, 2, (byte) number});
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private ReceiveMemory.Share take(int peer, boolean isAdmin, int slabBytes, int pairBytes) throws Refusal {
        ReceiveMemory.Share share = memory.share(peer(peer), isAdmin, slabBytes, pairBytes);
        shares.add(share);
        if (slabBytes > 0) {
            blocks.add(memory.slab().allocate(slabBytes));
        }
        return share;
    }

    private void assertRefused(int peer, boolean isAdmin, int slabBytes, int pairBytes) {
        Refusal refusal = assertThrows(Refusal.class, () -> take(peer, isAdmin, slabBytes, pairBytes));
        assertEquals(RejectReason.NO_RESOURCES, refusal.reason());
    }

    @AfterEach
    void giveAllBack() {
        blocks.forEach(MemoryBlock::release);
        shares.forEach(ReceiveMemory.Share::release);
        shares.forEach(ReceiveMemory.Share::release);
        assertEquals(0, memory.bytesInUse());
    }

    @Test
    void shouldBoundWhatOnePeerHoldsBeforeItHasConnected() throws Refusal {
        ReceiveMemory.Share first = take(1, false, 2 * MIB, 0);
        take(1, false, 2 * MIB, 0);
        assertRefused(1, false, 4096, 0);
        take(2, false, 4096, 0);
        take(1, true, 4096, 0);
        first.connected();
        take(1, false, 4096, 0);
    }

    @Test
    void shouldLetAHostAskForAllItsQueuesOnceItsAdminQueueHasConnected() throws Refusal {
        ReceiveMemory.Share admin = take(1, true, 4096, 0);
        admin.connected();
        for (int i = 0; i < 12; i++) {
            take(1, false, MIB, 0);
        }
        take(2, false, MIB, 0);
        admin.release();
        take(1, false, MIB, 0);
        take(1, false, 4096, 0);
    }

    @Test
    void shouldForgetAnAddressWithItsLastConnectedQueue() throws Refusal {
        ReceiveMemory.Share admin = take(1, true, 0, 4096);
        admin.connected();
        admin.release();
        admin.release();
        admin.connected();
        take(1, false, 4 * MIB, 0);
        assertRefused(1, false, 4096, 0);
    }

    @Test
    void shouldBoundWhatAllPeersHoldBeforeTheyHaveConnected() throws Refusal {
        ReceiveMemory.Share first = take(1, false, 4 * MIB, 0);
        take(2, false, 4 * MIB, 0);
        assertRefused(3, false, 4096, 0);
        first.release();
        take(3, false, 4096, 0);
    }

    @Test
    void shouldBoundAdminQueuesThatHaveNotConnected() throws Refusal {
        take(1, true, MIB / 2, 0);
        assertRefused(1, true, 4096, 0);
        take(2, true, MIB / 2, 0);
        assertRefused(3, true, 4096, 0);
    }

    @Test
    void shouldKeepAPartForAdminQueues() throws Refusal {
        for (int i = 0; i < 15; i++) {
            take(1, false, MIB, 0).connected();
        }
        assertRefused(1, false, 4096, 0);
        take(1, true, 4096, 0);
    }

    @Test
    void shouldCountWhatQueuePairsTakeUp() throws Refusal {
        ReceiveMemory.Share pair = take(1, false, 4096, 12 * MIB);
        pair.connected();
        assertEquals(12 * MIB + 4096, memory.bytesInUse());
        assertRefused(1, false, 3 * MIB, 0);
        pair.release();
        take(1, false, 3 * MIB, 0);
    }
}
