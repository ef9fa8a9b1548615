package io.nvmf.initiator.transport;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The caller's buffers that hold the data of one request, in order: of each the bytes between position and limit. The
 * buffers are lent until the request completes; neither their positions nor their limits are moved. Reused; grows to the
 * longest list it ever held. Owned by the request.
 */
public final class ScatterList {
    /** The most buffers a request may have. */
    public static final int MAX_SEGMENTS = 4096;

    private static final int INITIAL_SEGMENTS = 4;

    private ByteBuffer[] buffers = new ByteBuffer[INITIAL_SEGMENTS];
    private int[] offsets = new int[INITIAL_SEGMENTS];
    private int[] lengths = new int[INITIAL_SEGMENTS];
    private int segments;
    private long lengthBytes;

    public void clear() {
        Arrays.fill(buffers, 0, segments, null);
        segments = 0;
        lengthBytes = 0;
    }

    /**
     * Appends the bytes between position and limit; an empty buffer is left out.
     *
     * @throws IllegalArgumentException if the buffer is not direct, must be written and cannot, or there are too many
     */
    public void add(ByteBuffer buffer, DataDirection direction) {
        if (!buffer.isDirect()) {
            throw new IllegalArgumentException("Data needs direct buffers, see ByteBuffer.allocateDirect");
        }
        if (direction == DataDirection.CONTROLLER_TO_HOST && buffer.isReadOnly()) {
            throw new IllegalArgumentException("A read-only buffer cannot take data");
        }
        if (!buffer.hasRemaining()) {
            return;
        }
        if (segments == buffers.length) {
            grow();
        }
        buffers[segments] = buffer;
        offsets[segments] = buffer.position();
        lengths[segments] = buffer.remaining();
        segments++;
        lengthBytes += buffer.remaining();
    }

    private void grow() {
        if (segments == MAX_SEGMENTS) {
            throw new IllegalArgumentException("A request may have at most " + MAX_SEGMENTS + " buffers");
        }
        buffers = Arrays.copyOf(buffers, segments * 2);
        offsets = Arrays.copyOf(offsets, segments * 2);
        lengths = Arrays.copyOf(lengths, segments * 2);
    }

    public long lengthBytes() {
        return lengthBytes;
    }

    ByteBuffer buffer(int segment) {
        return buffers[segment];
    }

    /** Where the segment starts in its buffer. */
    int offset(int segment) {
        return offsets[segment];
    }

    int length(int segment) {
        return lengths[segment];
    }
}
