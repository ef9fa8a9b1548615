package io.nvmf.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * Pages of a {@link MemorySlab} in a row. One object stands for all blocks that ever begin on a page: after its release
 * it is handed out again, perhaps with another length.
 */
public final class MemoryBlock extends UnpooledDirectByteBuf {
    private final ByteBuffer bytes;
    private final MemorySlab.Chunk chunk;
    private final int firstPage;
    private final long address;
    /** 0 while the constructor of the superclass runs, which asks for the capacity of what it is given. */
    private int lengthBytes;

    private Consumer<MemoryBlock> released;

    MemoryBlock(MemorySlab.Chunk chunk, int firstPage, ByteBuffer toEndOfChunk, long address) {
        super(UnpooledByteBufAllocator.DEFAULT, toEndOfChunk, toEndOfChunk.capacity());
        this.bytes = toEndOfChunk;
        this.chunk = chunk;
        this.firstPage = firstPage;
        this.address = address;
    }

    void handOut(int length) {
        lengthBytes = length;
        resetRefCnt();
        setIndex(0, 0);
    }

    /** Tells somebody, once, that all references to this block have been released, before its memory can be handed out again. */
    public void whenReleased(Consumer<MemoryBlock> listener) {
        released = listener;
    }

    /** Which chunk of its slab it lies in: {@link MemorySlab.Chunk#index}. */
    public int chunkIndex() {
        return chunk.index();
    }

    /** How many bytes of its chunk come before it. */
    public int chunkOffset() {
        return firstPage * MemorySlab.PAGE_BYTES;
    }

    @Override
    public boolean hasMemoryAddress() {
        return true;
    }

    @Override
    public long memoryAddress() {
        return address;
    }

    @Override
    public int capacity() {
        return lengthBytes == 0 ? super.capacity() : lengthBytes;
    }

    @Override
    public int maxCapacity() {
        return capacity();
    }

    @Override
    public ByteBuf capacity(int newCapacity) {
        throw new UnsupportedOperationException("a block keeps its length");
    }

    /** As the superclass, which makes a buffer object each time. */
    @Override
    public ByteBuf getBytes(int index, byte[] target, int targetIndex, int length) {
        checkDstIndex(index, length, targetIndex, target.length);
        bytes.get(index, target, targetIndex, length);
        return this;
    }

    @Override
    public ByteBuf setBytes(int index, byte[] source, int sourceIndex, int length) {
        checkSrcIndex(index, length, sourceIndex, source.length);
        bytes.put(index, source, sourceIndex, length);
        return this;
    }

    @Override
    protected void deallocate() {
        Consumer<MemoryBlock> listener = released;
        if (listener != null) {
            released = null;
            listener.accept(this);
        }
        chunk.giveBack(firstPage, lengthBytes);
    }
}
