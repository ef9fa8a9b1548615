package io.nvmf.initiator.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LentBufferTest {
    private final List<Command> returned = new ArrayList<>();
    private final LentBufferPool pool = new LentBufferPool(returned::add);
    private final Command command = new Command(3);
    private final ByteBuffer memory = ByteBuffer.allocateDirect(16).put(new byte[] {0, 1, 2, 3, 4, 5, 6, 7});

    @Test
    void shouldShowTheLentBytesAlone() {
        LentBuffer lent = pool.toSend(command, memory, 2, 4);
        assertEquals(Unpooled.wrappedBuffer(new byte[] {2, 3, 4, 5}), lent);
        assertEquals(4, lent.readableBytes());
        assertFalse(lent.isWritable());
        ByteBuffer view = lent.internalNioBuffer(1, 2);
        assertEquals(3, view.get());
        assertEquals(1, view.remaining());
        ByteBuf copy = lent.copy();
        assertEquals(lent, copy);
        copy.release();
        assertThrows(IndexOutOfBoundsException.class, () -> lent.nioBuffer(1, 4));
        assertEquals(8, memory.position());
        lent.release();
    }

    @Test
    void shouldTellWhenTheLastReferenceIsGoneAndBeUsedAgain() {
        LentBuffer lent = pool.toSend(command, memory, 0, 8);
        assertTrue(command.isLent());
        ByteBuf slice = lent.readRetainedSlice(4);
        lent.release();
        assertEquals(List.of(), returned);
        slice.release();
        assertEquals(List.of(command), returned);
        assertFalse(command.isLent());
        LentBuffer again = pool.toSend(command, memory, 4, 2);
        assertSame(lent, again);
        assertEquals(1, again.refCnt());
        assertEquals(0, again.readerIndex());
        assertEquals(4, again.getByte(0));
        again.release();
    }
}
