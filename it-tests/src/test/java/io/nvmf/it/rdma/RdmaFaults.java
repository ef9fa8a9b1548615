package io.nvmf.it.rdma;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.target.NvmfTarget;
import io.nvmf.target.transport.rdma.RawRdmaHost;
import io.nvmf.target.transport.rdma.RawRdmaHost.Memory;
import io.nvmf.transport.EventLoops;
import io.nvmf.transport.rdma.Rdma;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Hosts that break the rules, over a real device: {@code faults CASE ADDRESS}. In each case one queue of a controller does
 * something that must end that queue; the controller's other queue, and another host, must be served after it as before.
 */
final class RdmaFaults implements Program {
    private static final String NQN = "nqn.2026-01.io.nvmf:rdma-faults";
    private static final int WRITE = 1;
    private static final int READ = 2;
    private static final int BYTES = 65536;
    private static final int BLOCK_BYTES = 512;
    private static final int DEPTH = 16;
    private static final int READS = 4;

    private interface Fault {
        void commit(RawRdmaHost queue) throws IOException;
    }

    private static final Map<String, Fault> CASES = Map.of(
            "wrong-key-of-a-write", queue -> wrongKey(queue, WRITE),
            "wrong-key-of-a-read", queue -> wrongKey(queue, READ),
            "short-memory-of-a-write", queue -> shortMemory(queue, WRITE),
            "short-memory-of-a-read", queue -> shortMemory(queue, READ),
            "short-capsule", queue -> queue.send(new byte[63]),
            "nothing-but-an-end", RawRdmaHost::disconnect);

    @Override
    public void run(List<String> arguments, PrintStream out) throws IOException {
        Fault fault = CASES.get(arguments.get(0));
        InetSocketAddress address = new InetSocketAddress(InetAddress.getByName(arguments.get(1)), 0);
        List<RawRdmaHost> hosts = new ArrayList<>();
        EventLoops loops = EventLoops.open(EventLoops.Kind.EPOLL, 1, "raw-hosts");
        try (NvmfTarget target = ServedTarget.open(address, NQN, 1)) {
            InetSocketAddress listening = target.listeners().get(0).address();
            RawRdmaHost admin = host(hosts, loops);
            int controller = admin.connectAdmin(listening, NQN, 0);
            admin.enable();
            RawRdmaHost bad = host(hosts, loops);
            bad.connectIo(listening, controller, 1, DEPTH, READS, NQN);
            RawRdmaHost good = host(hosts, loops);
            good.connectIo(listening, controller, 2, DEPTH, READS, NQN);
            RawRdmaHost otherAdmin = host(hosts, loops);
            int otherController = otherAdmin.connectAdmin(listening, NQN, 0);
            otherAdmin.enable();
            RawRdmaHost other = host(hosts, loops);
            other.connectIo(listening, otherController, 1, DEPTH, READS, NQN);
            requireService(bad);
            requireService(good);
            requireService(other);
            fault.commit(bad);
            out.println("the queue ended: " + bad.awaitEnd());
            requireService(good);
            requireService(other);
            requireService(connectAgain(hosts, loops, listening, controller));
            for (RawRdmaHost host : hosts) {
                host.close();
            }
        } finally {
            loops.close();
        }
    }

    /** The host can learn of the end of a queue before the target does, which refuses its queue id until it has. */
    private static RawRdmaHost connectAgain(
            List<RawRdmaHost> hosts, EventLoops loops, InetSocketAddress listening, int controller) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (true) {
            RawRdmaHost host = host(hosts, loops);
            try {
                host.connectIo(listening, controller, 1, DEPTH, READS, NQN);
                return host;
            } catch (IOException e) {
                if (System.nanoTime() - deadline > 0) {
                    throw e;
                }
            }
        }
    }

    private static RawRdmaHost host(List<RawRdmaHost> hosts, EventLoops loops) throws IOException {
        RawRdmaHost host = new RawRdmaHost(Rdma.provider(), loops.next());
        hosts.add(host);
        return host;
    }

    private static void wrongKey(RawRdmaHost queue, int opcode) throws IOException {
        Memory memory = queue.memory(BYTES);
        Sqe sqe = command(opcode);
        sqe.sgl1().setKeyed(memory.address(), BYTES, memory.key() ^ 0x5500, false);
        queue.submit(sqe);
    }

    private static void shortMemory(RawRdmaHost queue, int opcode) throws IOException {
        queue.submit(RawRdmaHost.keyed(command(opcode), queue.memory(BYTES - 1), BYTES));
    }

    private static void requireService(RawRdmaHost queue) throws IOException {
        for (int opcode : new int[] {WRITE, READ}) {
            int status = queue.execute(RawRdmaHost.keyed(command(opcode), queue.memory(BYTES), BYTES))
                    .status();
            if (!Status.isSuccess(status)) {
                throw new IOException("command " + opcode + " failed with status " + status);
            }
        }
    }

    private static Sqe command(int opcode) {
        return ReadWriteCommand.encode(Sqe.allocate(), opcode, 1, 0, BYTES / BLOCK_BYTES);
    }
}
