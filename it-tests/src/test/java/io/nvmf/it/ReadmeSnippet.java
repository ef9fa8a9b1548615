package io.nvmf.it;

import io.nvmf.initiator.NvmfHost;
import io.nvmf.initiator.controller.ConnectOptions;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.namespace.Namespace;
import java.nio.ByteBuffer;

/** The program of the README, so that it compiles, runs and stays as it is there. */
final class ReadmeSnippet {
    private ReadmeSnippet() {}

    static void run(String address, int port, String subsystemNqn) {
        // README
        try (NvmfHost host = NvmfHost.builder().build();
                Controller controller = host.connect(
                        ConnectOptions.tcp(address, port, subsystemNqn).ioQueues(4))) {
            Namespace namespace = controller.namespace(1);
            ByteBuffer block = ByteBuffer.allocateDirect(1 << 20);
            block.put(0, new byte[] {'h', 'e', 'l', 'l', 'o'});
            namespace.write(0, block).join();
            namespace.flush().join();
            block.clear();
            namespace.read(0, block).join();
        }
        // end
    }
}
