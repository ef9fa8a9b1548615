package io.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.nvmf.initiator.controller.ConnectOptions;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.namespace.Namespace;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class NamespaceIoTest {
    @Test
    void shouldReadWhatWasWritten() throws Exception {
        try (ScriptedTarget target = new ScriptedTarget();
                NvmfHost host = NvmfHost.builder().ioThreads(2).build();
                Controller controller = host.connect(
                        ConnectOptions.tcp(target.address(), ScriptedTarget.NQN).ioQueues(2))) {
            Namespace namespace = controller.namespace(1);
            assertEquals(List.of(1L), controller.activeNamespaces());
            for (int size : new int[] {512, 4096, 8192, 8704, 1 << 17, 3 << 20}) {
                ByteBuffer data = ByteBuffer.allocateDirect(size);
                byte[] bytes = new byte[size];
                new Random(size).nextBytes(bytes);
                data.put(0, bytes);
                namespace.write(3, data).join();
                ByteBuffer back = ByteBuffer.allocateDirect(size);
                namespace.read(3, back).join();
                assertEquals(data, back);
            }
            assertEquals(List.of(), target.faults);
        }
    }
}
