package io.nvmf.initiator.transport;

import io.netty.buffer.ByteBuf;
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

    /** Room for {@link #contiguous} bytes at the cursor, for a socket to fill. */
    LentBuffer lend(int lengthBytes, Command command, LentBufferPool lent) {
        return lent.toReceive(command, buffer(), index(), lengthBytes);
    }

    /** Moves {@code lengthBytes} bytes out of {@code in} to the cursor, unless the socket has put them there. */
    void read(ByteBuf in, int lengthBytes) {
        if (in instanceof LentBuffer) {
            in.skipBytes(lengthBytes);
            advance(lengthBytes);
            return;
        }
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

    /** Appends the next {@code lengthBytes} bytes of the command to the PDU being written. */
    void write(PduWriter writer, int lengthBytes, Command command, LentBufferPool lent) {
        int left = lengthBytes;
        while (left > 0) {
            int n = contiguous(left);
            if (n <= PduWriter.COPY_BYTES) {
                writer.copy(buffer(), index(), n);
            } else {
                writer.hand(lent.toSend(command, buffer(), index(), n));
            }
            step(n);
            left -= n;
        }
    }

    /** Copies the next {@code lengthBytes} bytes to {@code target} from absolute {@code index} on. */
    void copyTo(ByteBuffer target, int index, int lengthBytes) {
        for (int at = index, left = lengthBytes; left > 0; ) {
            int n = contiguous(left);
            target.put(at, buffer(), index(), n);
            step(n);
            at += n;
            left -= n;
        }
    }

    /** Fills the next {@code lengthBytes} bytes from {@code source}, from absolute {@code index} on. */
    void copyFrom(ByteBuffer source, int index, int lengthBytes) {
        for (int at = index, left = lengthBytes; left > 0; ) {
            int n = contiguous(left);
            buffer().put(index(), source, at, n);
            step(n);
            at += n;
            left -= n;
        }
    }
}
