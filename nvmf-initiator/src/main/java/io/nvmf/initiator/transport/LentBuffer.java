package io.nvmf.initiator.transport;

import io.netty.buffer.AbstractReferenceCountedByteBuf;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;

/**
 * A caller's memory as Netty's sockets take it, used again and again. Sockets of epoll and io_uring ask for
 * its address alone, which costs nothing; NIO and digests ask for a view, which is made then. What sockets never do with a
 * buffer is not supported. Owned by the connection's event loop.
 */
final class LentBuffer extends AbstractReferenceCountedByteBuf {
    private final LentBufferPool pool;
    private Command command;
    private ByteBuffer memory;
    private int offset;
    private int lengthBytes;
    private long address;

    LentBuffer(LentBufferPool pool) {
        super(Integer.MAX_VALUE);
        this.pool = pool;
    }

    /** @param address of the first byte, or 0 if sockets cannot use it */
    void lend(Command command, ByteBuffer memory, int offset, int lengthBytes, long address) {
        this.command = command;
        this.memory = memory;
        this.offset = offset;
        this.lengthBytes = lengthBytes;
        this.address = address;
        resetRefCnt();
        setIndex(0, 0);
    }

    @Override
    protected void deallocate() {
        Command lender = command;
        command = null;
        memory = null;
        pool.onReturned(this, lender);
    }

    @Override
    public boolean hasMemoryAddress() {
        return address != 0;
    }

    @Override
    public long memoryAddress() {
        return address;
    }

    @Override
    public int nioBufferCount() {
        return 1;
    }

    @Override
    public ByteBuffer nioBuffer(int index, int length) {
        checkIndex(index, length);
        return memory.duplicate().clear().position(offset + index).limit(offset + index + length);
    }

    @Override
    public ByteBuffer internalNioBuffer(int index, int length) {
        return nioBuffer(index, length);
    }

    @Override
    public ByteBuffer[] nioBuffers(int index, int length) {
        return new ByteBuffer[] {nioBuffer(index, length)};
    }

    @Override
    public int capacity() {
        return lengthBytes;
    }

    @Override
    public boolean isDirect() {
        return true;
    }

    @Override
    public boolean hasArray() {
        return false;
    }

    @Override
    public ByteBuf unwrap() {
        return null;
    }

    @Override
    public ByteBufAllocator alloc() {
        return UnpooledByteBufAllocator.DEFAULT;
    }

    @Override
    @Deprecated
    public ByteOrder order() {
        return ByteOrder.BIG_ENDIAN;
    }

    @Override
    protected byte _getByte(int index) {
        return memory.get(offset + index);
    }

    @Override
    public ByteBuf getBytes(int index, ByteBuf destination, int destinationIndex, int length) {
        destination.setBytes(destinationIndex, nioBuffer(index, length));
        return this;
    }

    @Override
    public ByteBuf getBytes(int index, byte[] destination, int destinationIndex, int length) {
        checkIndex(index, length);
        memory.get(offset + index, destination, destinationIndex, length);
        return this;
    }

    @Override
    public ByteBuf getBytes(int index, ByteBuffer destination) {
        destination.put(nioBuffer(index, destination.remaining()));
        return this;
    }

    @Override
    public int getBytes(int index, GatheringByteChannel out, int length) throws IOException {
        return out.write(nioBuffer(index, length));
    }

    @Override
    public int setBytes(int index, ScatteringByteChannel in, int length) throws IOException {
        return in.read(nioBuffer(index, length));
    }

    @Override
    public ByteBuf copy(int index, int length) {
        return alloc().directBuffer(length).writeBytes(nioBuffer(index, length));
    }

    // ---- Never asked for by a socket

    private static UnsupportedOperationException unsupported() {
        return new UnsupportedOperationException("A lent buffer is only to be sent or received");
    }

    @Override
    public ByteBuf capacity(int newCapacity) {
        throw unsupported();
    }

    @Override
    public byte[] array() {
        throw unsupported();
    }

    @Override
    public int arrayOffset() {
        throw unsupported();
    }

    @Override
    public ByteBuf getBytes(int index, OutputStream out, int length) {
        throw unsupported();
    }

    @Override
    public int getBytes(int index, FileChannel out, long position, int length) {
        throw unsupported();
    }

    @Override
    public ByteBuf setBytes(int index, ByteBuf source, int sourceIndex, int length) {
        throw unsupported();
    }

    @Override
    public ByteBuf setBytes(int index, byte[] source, int sourceIndex, int length) {
        throw unsupported();
    }

    @Override
    public ByteBuf setBytes(int index, ByteBuffer source) {
        throw unsupported();
    }

    @Override
    public int setBytes(int index, InputStream in, int length) {
        throw unsupported();
    }

    @Override
    public int setBytes(int index, FileChannel in, long position, int length) {
        throw unsupported();
    }

    @Override
    protected short _getShort(int index) {
        throw unsupported();
    }

    @Override
    protected short _getShortLE(int index) {
        throw unsupported();
    }

    @Override
    protected int _getUnsignedMedium(int index) {
        throw unsupported();
    }

    @Override
    protected int _getUnsignedMediumLE(int index) {
        throw unsupported();
    }

    @Override
    protected int _getInt(int index) {
        throw unsupported();
    }

    @Override
    protected int _getIntLE(int index) {
        throw unsupported();
    }

    @Override
    protected long _getLong(int index) {
        throw unsupported();
    }

    @Override
    protected long _getLongLE(int index) {
        throw unsupported();
    }

    @Override
    protected void _setByte(int index, int value) {
        throw unsupported();
    }

    @Override
    protected void _setShort(int index, int value) {
        throw unsupported();
    }

    @Override
    protected void _setShortLE(int index, int value) {
        throw unsupported();
    }

    @Override
    protected void _setMedium(int index, int value) {
        throw unsupported();
    }

    @Override
    protected void _setMediumLE(int index, int value) {
        throw unsupported();
    }

    @Override
    protected void _setInt(int index, int value) {
        throw unsupported();
    }

    @Override
    protected void _setIntLE(int index, int value) {
        throw unsupported();
    }

    @Override
    protected void _setLong(int index, long value) {
        throw unsupported();
    }

    @Override
    protected void _setLongLE(int index, long value) {
        throw unsupported();
    }
}
