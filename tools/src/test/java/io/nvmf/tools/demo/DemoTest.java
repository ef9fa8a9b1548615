package io.nvmf.tools.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEventLoop;
import io.nvmf.codec.log.TransportType;
import io.nvmf.initiator.NvmfHost;
import io.nvmf.initiator.controller.ConnectOptions;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.backend.BlockCompletion;
import io.nvmf.target.backend.BlockDevice;
import io.nvmf.target.backend.BlockError;
import io.nvmf.target.backend.memory.MemoryBlockDevice;
import io.nvmf.tools.CommandException;
import io.nvmf.tools.LoopbackTarget;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class DemoTest {
    private static final int DAMAGED_BYTE = 123_456;

    @Test
    void shouldFindEveryByteThatIsNotAsWritten() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(4096);
        Pattern.fill(buffer, 7);
        assertEquals(Pattern.MATCHES, Pattern.firstMismatch(buffer, 7));
        for (int at = 0; at < buffer.capacity(); at++) {
            buffer.put(at, (byte) (buffer.get(at) ^ 0x80));
            assertEquals(at, Pattern.firstMismatch(buffer, 7));
            buffer.put(at, (byte) (buffer.get(at) ^ 0x80));
        }
    }

    @Test
    void shouldTellContentsOfDifferentSeedsAndPlacesApart() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(4096);
        Pattern.fill(buffer, 7);
        assertEquals(0, Pattern.firstMismatch(buffer, 8));
        assertEquals(0, Pattern.firstMismatch(buffer.slice(8, 4088), 7));
    }

    @Test
    void shouldSayWhereDataWasDamaged() throws IOException {
        CommandException e = assertThrows(CommandException.class, () -> runOver(new DamagingDevice(false)));
        assertEquals(
                "block 30 of 4 KiB came back changed at its byte 576 (byte 123456 of the namespace)", e.getMessage());
    }

    @Test
    void shouldSayWhichStatusEndedIt() throws IOException {
        CommandException e = assertThrows(CommandException.class, () -> runOver(new DamagingDevice(true)));
        assertTrue(
                e.getMessage().startsWith("Read of 4096 bytes failed: Unrecovered Read Error (2/81h"), e::getMessage);
    }

    private static void runOver(BlockDevice device) throws Exception {
        try (LoopbackTarget target = LoopbackTarget.serve(4096, device);
                NvmfHost host = NvmfHost.builder().build();
                Controller controller = host.connect(
                        ConnectOptions.tcp(target.address(), LoopbackTarget.NQN).ioQueues(2))) {
            new Demo(controller, controller.namespace(1), TransportType.TCP, Demo.MAX_BLOCKS).run();
        }
    }

    /** Memory with one byte that cannot be read, or is read wrongly. */
    private static final class DamagingDevice implements BlockDevice {
        private final MemoryBlockDevice device = new MemoryBlockDevice(Demo.REGION_BYTES);
        private final boolean fails;

        DamagingDevice(boolean fails) {
            this.fails = fails;
        }

        @Override
        public long sizeBytes() {
            return device.sizeBytes();
        }

        @Override
        public int alignmentBytes() {
            return device.alignmentBytes();
        }

        @Override
        public boolean hasVolatileWriteCache() {
            return false;
        }

        @Override
        public String description() {
            return "damaged memory";
        }

        @Override
        public BlockChannel openChannel(IoEventLoop loop) {
            return new DamagingChannel(device.openChannel(loop), fails);
        }

        @Override
        public void close() {
            device.close();
        }
    }

    private record DamagingChannel(BlockChannel channel, boolean fails) implements BlockChannel {
        @Override
        public void read(long offsetBytes, ByteBuf buffer, int index, int lengthBytes, BlockCompletion completion) {
            boolean hit = offsetBytes <= DAMAGED_BYTE && DAMAGED_BYTE < offsetBytes + lengthBytes;
            if (hit && fails) {
                completion.onComplete(BlockError.READ_ERROR);
                return;
            }
            channel.read(offsetBytes, buffer, index, lengthBytes, error -> {
                if (hit) {
                    int at = index + (int) (DAMAGED_BYTE - offsetBytes);
                    buffer.setByte(at, buffer.getByte(at) ^ 1);
                }
                completion.onComplete(error);
            });
        }

        @Override
        public void write(
                long offsetBytes,
                ByteBuf buffer,
                int index,
                int lengthBytes,
                boolean forceUnitAccess,
                BlockCompletion completion) {
            channel.write(offsetBytes, buffer, index, lengthBytes, forceUnitAccess, completion);
        }

        @Override
        public void flush(BlockCompletion completion) {
            channel.flush(completion);
        }

        @Override
        public void writeZeroes(
                long offsetBytes,
                long lengthBytes,
                boolean mayDeallocate,
                boolean forceUnitAccess,
                BlockCompletion completion) {
            channel.writeZeroes(offsetBytes, lengthBytes, mayDeallocate, forceUnitAccess, completion);
        }

        @Override
        public void deallocate(long offsetBytes, long lengthBytes, BlockCompletion completion) {
            channel.deallocate(offsetBytes, lengthBytes, completion);
        }

        @Override
        public void close() {
            channel.close();
        }
    }
}
