package io.nvmf.transport.rdma;

import io.nvmf.transport.EventLoops;
import io.nvmf.transport.rdma.RdmaDevice.RemoteAccess;
import io.nvmf.transport.rdma.RdmaEnd.Memory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** Two ends, and the connection made last between them. The host connects and exposes memory, the target reads and writes. */
final class RdmaPair implements AutoCloseable {
    static final int DEPTH = 8;
    static final QueuePairSize SIZE = new QueuePairSize(DEPTH, DEPTH);
    /** RDMA READs that the target may have outstanding. */
    static final int READS = 4;

    final RdmaEnd hostEnd;
    final RdmaEnd targetEnd;
    final ConnectionManager.Listening listening;
    final List<RdmaLink> links = new ArrayList<>();
    final List<Memory> memories = new ArrayList<>();
    RdmaLink host;
    RdmaLink target;

    RdmaPair(RdmaProvider provider, EventLoops.Kind kind, InetAddress address) throws Exception {
        hostEnd = new RdmaEnd(provider, kind, "host");
        targetEnd = new RdmaEnd(provider, kind, "target");
        listening = targetEnd.listen(new InetSocketAddress(address, 0));
    }

    RdmaPair connect() throws Exception {
        return connect(SIZE, listening.address());
    }

    RdmaPair connect(QueuePairSize size, InetSocketAddress to) throws Exception {
        host = keep(hostEnd.resolve(to)).open(size, size.sends() + size.receives());
        host.connect(data(1, 32), READS, 0);
        target = keep(targetEnd.answer(targetEnd.takeRequest())).open(size, size.sends() + size.receives());
        target.accept(data(2, 32), 0, READS);
        host.expect("established");
        target.expect("established");
        return this;
    }

    RdmaLink keep(RdmaLink link) {
        links.add(link);
        return link;
    }

    Memory memory(RdmaLink link, int lengthBytes, RemoteAccess access) throws Exception {
        Memory memory = link.end().register(link.id.device(), lengthBytes, access);
        memories.add(memory);
        return memory;
    }

    /** Private data between a position and a limit that are not the buffer's own. */
    static ByteBuffer data(int seed, int lengthBytes) {
        ByteBuffer data = ByteBuffer.allocate(lengthBytes + 3).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < lengthBytes; i++) {
            data.put(2 + i, Memory.byteAt(seed, i));
        }
        return data.position(2).limit(2 + lengthBytes);
    }

    @Override
    public void close() {
        links.forEach(RdmaLink::close);
        memories.forEach(memory -> memory.region().close());
        hostEnd.close();
        targetEnd.close();
    }
}
