package io.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.nvmf.codec.Status;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.namespace.NamespaceChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A namespace read and written as a file. */
class NamespaceChannelTest extends InitiatorTest {
    private static final int SIZE = ScriptedDisk.MEDIUM_BYTES;

    @ParameterizedTest
    @ValueSource(ints = {9, 12})
    void shouldReadAndWriteAnyBytes(int blockShift) throws Exception {
        target.blockShift = blockShift;
        long seed = System.nanoTime();
        Random random = new Random(seed);
        random.nextBytes(target.medium);
        byte[] model = target.medium.clone();
        try (Controller controller = connect();
                NamespaceChannel channel = controller.namespace(1).channel(true)) {
            for (int i = 0; i < 300; i++) {
                int length = switch (random.nextInt(4)) {
                    case 0 -> 1 + random.nextInt(10);
                    case 1 -> 1 + random.nextInt(10_000);
                    case 2 -> (1 + random.nextInt(4)) << blockShift;
                    default -> i % 50 == 0 ? 3_000_001 : 1 + random.nextInt(600);
                };
                int at = random.nextInt(SIZE - length);
                if (random.nextInt(3) == 0) {
                    at = at >> blockShift << blockShift;
                }
                ByteBuffer data =
                        random.nextBoolean() ? ByteBuffer.allocate(length) : ByteBuffer.allocateDirect(length);
                channel.position(at);
                if (random.nextBoolean()) {
                    byte[] bytes = new byte[length];
                    random.nextBytes(bytes);
                    assertEquals(length, channel.write(data.put(bytes).flip()));
                    System.arraycopy(bytes, 0, model, at, length);
                } else {
                    while (data.hasRemaining()) {
                        channel.read(data);
                    }
                    assertArrayEquals(Arrays.copyOfRange(model, at, at + length), bytes(data.flip()), "seed " + seed);
                }
                assertEquals(at + length, channel.position());
            }
            channel.force();
        }
        assertArrayEquals(model, target.medium, "seed " + seed);
    }

    @Test
    void shouldStopAtTheEnd() throws Exception {
        try (Controller controller = connect();
                NamespaceChannel channel = controller.namespace(1).channel(true)) {
            assertEquals(SIZE, channel.size());
            channel.position(SIZE - 10);
            assertEquals(10, channel.write(ByteBuffer.allocate(100)));
            assertEquals(SIZE, channel.position());
            assertThrows(IOException.class, () -> channel.write(ByteBuffer.allocate(1)));
            assertEquals(0, channel.write(ByteBuffer.allocate(0)));
            assertEquals(-1, channel.read(ByteBuffer.allocate(1)));
            channel.position(SIZE - 10);
            assertEquals(10, channel.read(ByteBuffer.allocate(100)));
            assertEquals(-1, channel.position(2L * SIZE).read(ByteBuffer.allocate(1)));
            assertThrows(IOException.class, () -> channel.truncate(SIZE - 1));
            assertEquals(SIZE, channel.truncate(SIZE).position());
            assertThrows(IllegalArgumentException.class, () -> channel.position(-1));
        }
    }

    @Test
    void shouldNotWriteThroughAReadOnlyView() throws Exception {
        try (Controller controller = connect();
                NamespaceChannel channel = controller.namespace(1).channel(false)) {
            assertThrows(NonWritableChannelException.class, () -> channel.write(ByteBuffer.allocate(1)));
            assertThrows(NonWritableChannelException.class, () -> channel.truncate(SIZE));
            assertEquals(1, channel.read(ByteBuffer.allocate(1)));
        }
        assertEquals(0, target.commands(1, 0x01).size());
    }

    @Test
    void shouldSayWhyItFailsAndGoOn() throws Exception {
        target.script = (connection, command) -> {
            boolean fails = connection.queueId == 1 && command.opcode() == 2 && command.i64(8 + 40) == 5;
            if (fails) {
                connection.response(command.commandId(), Status.UNRECOVERED_READ_ERROR, 0);
            }
            return fails;
        };
        try (Controller controller = connect();
                NamespaceChannel channel = controller.namespace(1).channel(true)) {
            channel.position(5 * 512 + 1);
            assertThrows(IOException.class, () -> channel.write(ByteBuffer.allocate(3)));
            assertThrows(IOException.class, () -> channel.read(ByteBuffer.allocate(3)));
            assertEquals(5 * 512 + 1, channel.position());
            channel.position(0);
            assertEquals(2000, channel.read(ByteBuffer.allocate(2000)));
        }
        assertEquals(0, target.commands(1, 0x01).size());
    }

    @Test
    void shouldDoNothingWhenClosed() {
        try (Controller controller = connect()) {
            NamespaceChannel channel = controller.namespace(1).channel(true);
            channel.close();
            channel.close();
            assertFalse(channel.isOpen());
            assertThrows(ClosedChannelException.class, () -> channel.read(ByteBuffer.allocate(1)));
            assertThrows(ClosedChannelException.class, () -> channel.write(ByteBuffer.allocate(1)));
            assertThrows(ClosedChannelException.class, channel::size);
            assertThrows(ClosedChannelException.class, channel::force);
        }
    }
}
