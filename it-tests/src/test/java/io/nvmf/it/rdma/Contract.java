package io.nvmf.it.rdma;

import io.nvmf.codec.log.TransportType;
import io.nvmf.it.TransportContract;
import io.nvmf.transport.rdma.Rdma;
import java.io.PrintStream;
import java.net.InetAddress;
import java.util.List;

/** One check of the contract of all transports, over a real device: {@code contract CHECK ADDRESS}. */
final class Contract implements Program {
    @Override
    public void run(List<String> arguments, PrintStream out) throws Exception {
        InetAddress address = InetAddress.getByName(arguments.get(1));
        new TransportContract(TransportType.RDMA, address, Rdma.provider())
                .checks()
                .get(arguments.get(0))
                .run();
    }
}
