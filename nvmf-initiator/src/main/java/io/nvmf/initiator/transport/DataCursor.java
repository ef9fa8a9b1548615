package io.nvmf.initiator.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.nvmf.transport.tcp.PduWriter;
import java.nio.ByteBuffer;

/** A place in a {@link ScatterList} that only moves forward. Owned by the queue's event loop. */
public final class DataCursor {
    private ScatterList list;
    private int segment;
    /** Bytes of the segment that lie behind the cursor. */
    private int passed;

    public void set(ScatterList list) {
        this.list = list;
        segment = 0;
        passed = 0;
    }

    public void set(DataCursor other) {
        list = other.list;
        segment = other.segment;
        passed = other.passed;
    }

    public void clear() {
        list = null;
    }

    /** The buffer at the cursor. */
    ByteBuffer buffer() {
        return list.buffer(segment);
    }

    /** Absolute index of the cursor in {@link #buffer}. */
    int index() {
        return list.offset(segment) + passed;
    }

    /** How many of the next {@code wanted} bytes lie in {@link #buffer}. */
    int contiguous(int wanted) {
        return Math.min(wanted, list.length(segment) - passed);
    }

    public void advance(int lengthBytes) {
        int left = lengthBytes;
        while (left > 0) {
            int n = contiguous(left);
            left -= n;
            step(n);
        }
    }

    private void step(int lengthBytes) {
        passed += lengthBytes;
        if (passed == list.length(segment)) {
            segment++;
            passed = 0;
        }
    }

    /** Moves {@code lengthBytes} bytes out of {@code in} to the cursor. */
    void read(ByteBuf in, int lengthBytes) {
        int left = lengthBytes;
        while (left > 0) {
            int n = contiguous(left);
            ByteBuffer source = in.internalNioBuffer(in.readerIndex(), n);
            buffer().put(index(), source, source.position(), n);
            in.skipBytes(n);
            step(n);
            left -= n;
        }
    }

    /**
     * Appends the next {@code lengthBytes} bytes to the PDU being written.
     *
     * @return how many times {@code whenSent} will be called, each time when the socket has let go of a buffer
     */
    int write(PduWriter writer, int lengthBytes, ChannelFutureListener whenSent) {
        int sends = 0;
        int left = lengthBytes;
        while (left > 0) {
            int n = contiguous(left);
            ByteBuf view = Unpooled.wrappedBuffer(
                    buffer().duplicate().clear().position(index()).limit(index() + n));
            if (writer.data(view, 0, n, whenSent)) {
                sends++;
            }
            view.release();
            step(n);
            left -= n;
        }
        return sends;
    }
}
