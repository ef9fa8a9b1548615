package io.nvmf.transport.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator.Handle;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

@SuppressWarnings("deprecation") // Netty still names the interface it advises against in its signatures.
class ReceiveBuffersTest {
    private static final int SMALL_BYTES = 2048;

    private ByteBuf waiting;

    private Handle handle(boolean filledAtOnce) {
        Handle handle = new ReceiveBuffers(() -> waiting, filledAtOnce).newHandle();
        handle.reset(new EmbeddedChannel().config());
        return handle;
    }

    private static ByteBuf allocate(Handle handle) {
        return handle.allocate(UnpooledByteBufAllocator.DEFAULT);
    }

    @Test
    void shouldShareABufferAmongConnectionsOfALoopWhenItIsFilledAtOnce() {
        ByteBuf first = allocate(handle(true)).writeByte(1);
        first.release();
        ByteBuf second = allocate(handle(true));
        assertSame(first, second);
        assertEquals(0, second.readableBytes());
        second.release();
    }

    @Test
    void shouldNotHandOutASharedBufferWhileSomebodyHoldsIt() {
        ByteBuf held = allocate(handle(true)).writeByte(1);
        ByteBuf other = allocate(handle(true));
        assertNotSame(held, other);
        assertEquals(1, held.readByte());
        held.release();
        other.release();
    }

    @Test
    void shouldShareNothingWhenBuffersWaitToBeFilled() {
        ByteBuf shared = allocate(handle(true));
        shared.release();
        ByteBuf first = allocate(handle(false));
        ByteBuf second = allocate(handle(false));
        assertNotSame(shared, first);
        assertNotSame(first, second);
        first.release();
        second.release();
    }

    @Test
    void shouldReadLittleMoreThanAHeaderBehindALargePayload() {
        Handle handle = handle(true);
        ByteBuf large = allocate(handle);
        assertTrue(large.capacity() > SMALL_BYTES);
        large.release();
        waiting = Unpooled.buffer(1);
        assertSame(waiting, allocate(handle));
        waiting = null;
        ByteBuf small = allocate(handle);
        assertEquals(SMALL_BYTES, small.capacity());
        small.release();
        assertSame(large, allocate(handle));
        large.release();
    }
}
