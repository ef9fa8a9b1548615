package io.nvmf.target.transport.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.netty.channel.IoEventLoop;
import io.nvmf.codec.Sqe;
import io.nvmf.transport.EventLoops;
import io.nvmf.transport.MemoryBlock;
import io.nvmf.transport.MemorySlab;
import io.nvmf.transport.memory.MemoryRdma;
import io.nvmf.transport.rdma.ConnectionManager;
import io.nvmf.transport.rdma.RdmaDevice;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class QueueMemoryTest {
    private static final int RECEIVES = 1025;
    private static final int RESPONSES = 2048;

    private final MemorySlab slab = new MemorySlab(16 << 20);

    private interface WithDevice {
        void run(RegisteredSlab registered) throws Exception;
    }

    private void withDevice(WithDevice test) throws Exception {
        MemoryRdma rdma = new MemoryRdma();
        try (EventLoops loops = EventLoops.open(EventLoops.Kind.NIO, 1, "queue-memory-test")) {
            IoEventLoop loop = loops.next();
            loop.submit(() -> {
                        ConnectionManager manager = rdma.openConnectionManager(loop);
                        ConnectionManager.RequestListener nobody = (id, data, reads, depth) -> {};
                        RdmaDevice device = manager.listen(new InetSocketAddress("127.0.0.1", 0), 1, nobody)
                                .device();
                        RegisteredSlab registered = new RegisteredSlab(slab, device);
                        test.run(registered);
                        registered.close();
                        manager.close();
                        return null;
                    })
                    .get();
        }
        assertEquals(MemoryRdma.Counts.NONE, rdma.counts());
    }

    @Test
    void shouldFindItsPlaceWhereNoTwoPagesAreFreeInARow() throws Exception {
        withDevice(registered -> {
            List<MemoryBlock> pages = new ArrayList<>();
            for (MemoryBlock page = slab.allocate(4096); page != null; page = slab.allocate(4096)) {
                pages.add(page);
            }
            for (int i = 0; i < pages.size(); i += 2) {
                pages.get(i).release();
            }
            assertNull(slab.allocate(4097));
            QueueMemory memory = QueueMemory.take(slab, registered, RECEIVES, RESPONSES, 4096);
            assertNotNull(memory);
            memory.release();
            for (int i = 1; i < pages.size(); i += 2) {
                pages.get(i).release();
            }
        });
    }

    @Test
    void shouldTakeWhatItSays() throws Exception {
        withDevice(registered -> {
            long free = slab.freeBytes();
            QueueMemory memory = QueueMemory.take(slab, registered, RECEIVES, RESPONSES, 4112);
            assertEquals(free - QueueMemory.bytes(RECEIVES, RESPONSES, 4112), slab.freeBytes());
            memory.release();
            assertEquals(free, slab.freeBytes());
        });
    }

    @Test
    void shouldGiveEachEntryAndEachResponseAPlaceOfItsOwn() throws Exception {
        withDevice(registered -> {
            QueueMemory memory = QueueMemory.take(slab, registered, RECEIVES, RESPONSES, 0);
            for (int i = 0; i < RECEIVES; i++) {
                memory.entries(i).putInt(memory.entryOffset(i), i).putInt(memory.entryOffset(i) + Sqe.BYTES - 4, i);
            }
            Set<Long> addresses = new HashSet<>();
            for (int i = 0; i < RESPONSES; i++) {
                memory.response(i, 0, 0, 0, 0);
                addresses.add(memory.responseAddress(i));
            }
            assertEquals(RESPONSES, addresses.size());
            for (int i = 0; i < RECEIVES; i++) {
                assertEquals(i, memory.entries(i).getInt(memory.entryOffset(i)));
                assertEquals(i, memory.entries(i).getInt(memory.entryOffset(i) + Sqe.BYTES - 4));
            }
            memory.release();
        });
    }
}
