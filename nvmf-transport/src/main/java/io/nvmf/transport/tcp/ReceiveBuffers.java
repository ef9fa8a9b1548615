package io.nvmf.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import io.netty.util.concurrent.FastThreadLocal;
import java.nio.ByteBuffer;
import java.util.function.Supplier;

/**
 * Where the socket puts the bytes it receives next: into memory that waits for exactly them, when there is some, else into
 * a buffer from which they are copied. A socket that fills its buffer at once, and whose bytes are taken out before another
 * is filled, uses one that all connections of its event loop share; others have one of a size that suits the stream. Owned
 * by the connection's event loop.
 */
@SuppressWarnings("deprecation") // Netty still names the interface it advises against in its signatures.
public final class ReceiveBuffers implements RecvByteBufAllocator {
    /** From here on data is cheaper to receive where it belongs than to copy there. */
    public static final int DIRECT_BYTES = 8192;

    private static final int MIN_BYTES = 2048;
    private static final int INITIAL_BYTES = 4096;
    /** Beyond a few headers and small payloads, what is received belongs into the memory that waits for it. */
    private static final int MAX_BYTES = 32_768;

    /** Many small payloads with one system call; a buffer of half the size served fewer requests. */
    private static final int SHARED_BYTES = 256 * 1024;

    private static final FastThreadLocal<Shared> SHARED = new FastThreadLocal<>() {
        @Override
        protected Shared initialValue() {
            return new Shared();
        }
    };

    private final AdaptiveRecvByteBufAllocator usual =
            new AdaptiveRecvByteBufAllocator(MIN_BYTES, INITIAL_BYTES, MAX_BYTES);

    private final Supplier<ByteBuf> waiting;
    private final boolean filledAtOnce;

    /**
     * @param waiting an empty buffer for the bytes that come next, with a reference for the taker; or null
     * @param filledAtOnce whether nothing else happens on the loop between the choice of a buffer and its filling
     */
    public ReceiveBuffers(Supplier<ByteBuf> waiting, boolean filledAtOnce) {
        this.waiting = waiting;
        this.filledAtOnce = filledAtOnce;
    }

    @Override
    public Handle newHandle() {
        return new WaitingFirst((ExtendedHandle) usual.newHandle(), waiting, filledAtOnce);
    }

    /** Buffers of one event loop; plain memory, which goes with the thread. */
    private static final class Shared {
        final ByteBuf large = Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(SHARED_BYTES));
        /** A header and little more, where a large payload is likely to follow. */
        final ByteBuf small = Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(MIN_BYTES));
    }

    private static final class WaitingFirst extends DelegatingHandle implements ExtendedHandle {
        private final Supplier<ByteBuf> waiting;
        private final boolean filledAtOnce;
        /** What came last went where it belongs. */
        private boolean wasLarge;

        WaitingFirst(ExtendedHandle usual, Supplier<ByteBuf> waiting, boolean filledAtOnce) {
            super(usual);
            this.waiting = waiting;
            this.filledAtOnce = filledAtOnce;
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            ByteBuf memory = waiting.get();
            if (memory != null) {
                wasLarge = true;
                return memory;
            }
            boolean likelyLarge = wasLarge;
            wasLarge = false;
            if (filledAtOnce) {
                ByteBuf shared = likelyLarge ? SHARED.get().small : SHARED.get().large;
                if (shared.refCnt() == 1) {
                    return shared.clear().retain();
                }
            }
            return super.allocate(allocator);
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
            return ((ExtendedHandle) delegate()).continueReading(maybeMoreData);
        }
    }
}
