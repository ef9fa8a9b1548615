package io.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nvmf.codec.Status;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.transport.EventLoops;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each kind of event loop takes the caller's memory in a way of its own. */
class EveryEventLoopTest extends InitiatorTest {
    private NvmfHost hostOn(EventLoops.Kind kind) {
        assumeTrue(kind.isAvailable());
        NvmfHost host = newHost(kind);
        assertTrue(host.eventLoops().startsWith(kind.toString()));
        return host;
    }

    @ParameterizedTest
    @EnumSource(EventLoops.Kind.class)
    void shouldCarryDataBothWays(EventLoops.Kind kind) {
        for (boolean digest : new boolean[] {false, true}) {
            try (NvmfHost host = hostOn(kind);
                    Controller controller =
                            host.connect(options().headerDigest(digest).dataDigest(digest))) {
                Namespace namespace = controller.namespace(1);
                for (int length : new int[] {512, 8192, 9216, 65536, 300_032, 3 << 20}) {
                    ByteBuffer out = random(length, length);
                    ByteBuffer in = ByteBuffer.allocateDirect(length + 20);
                    namespace
                            .write(7, out.slice(0, length / 3), out.slice(length / 3, length - length / 3))
                            .join();
                    assertArrayEquals(bytes(out), Arrays.copyOfRange(target.medium, 7 * 512, 7 * 512 + length));
                    namespace
                            .read(7, in.slice(0, length / 2), in.slice(length / 2 + 20, length - length / 2))
                            .join();
                    assertEquals(out.slice(0, length / 2), in.slice(0, length / 2));
                    assertEquals(
                            out.slice(length / 2, length - length / 2), in.slice(length / 2 + 20, length - length / 2));
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(EventLoops.Kind.class)
    void shouldGiveBuffersBackWhenTheConnectionIsLostInTheMidstOfData(EventLoops.Kind kind) {
        target.script = (connection, command) -> {
            if (connection.queueId == 1 && command.opcode() == 0x02) {
                connection.readHeaderAlone(command.commandId(), 1 << 20);
                connection.raw(new byte[100_000]);
                if (command.i64(48) == 0) {
                    connection.close();
                }
                return true;
            }
            if (connection.queueId == 1 && command.opcode() == 0x01) {
                connection.r2t(command.commandId(), 1, 0, 1 << 20);
                connection.awaitInput();
                connection.close();
                return true;
            }
            return false;
        };
        ByteBuffer data = ByteBuffer.allocateDirect(1 << 20);
        try (NvmfHost host = hostOn(kind)) {
            assertEquals(
                    Status.HOST_PATHING_ERROR,
                    statusOf(host.connect(options()).namespace(1).read(0, data)));
            assertEquals(
                    Status.HOST_PATHING_ERROR,
                    statusOf(host.connect(options().ioTimeoutMs(200))
                            .namespace(1)
                            .read(1, data)));
            assertEquals(
                    Status.HOST_PATHING_ERROR,
                    statusOf(host.connect(options()).namespace(1).write(0, data)));
        }
    }
}
