package io.nvmf.initiator.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import java.util.function.Supplier;

/**
 * Where the socket puts the bytes it receives next: into memory that waits for exactly them, when there is some, else into
 * a buffer of a size that suits the stream. Owned by the connection's event loop.
 */
@SuppressWarnings("deprecation") // Netty still names the interface it advises against in its signatures.
final class ReceiveBuffers implements RecvByteBufAllocator {
    private static final int MIN_BYTES = 2048;
    private static final int INITIAL_BYTES = 4096;
    /** Beyond a few headers and small payloads, what is received belongs into the memory that waits for it. */
    private static final int MAX_BYTES = 32_768;

    private final AdaptiveRecvByteBufAllocator usual =
            new AdaptiveRecvByteBufAllocator(MIN_BYTES, INITIAL_BYTES, MAX_BYTES);

    private final Supplier<ByteBuf> waiting;

    /** @param waiting an empty buffer for the bytes that come next, with a reference for the taker; or null */
    ReceiveBuffers(Supplier<ByteBuf> waiting) {
        this.waiting = waiting;
    }

    @Override
    public Handle newHandle() {
        return new WaitingFirst((ExtendedHandle) usual.newHandle(), waiting);
    }

    private static final class WaitingFirst extends DelegatingHandle implements ExtendedHandle {
        private final Supplier<ByteBuf> waiting;

        WaitingFirst(ExtendedHandle usual, Supplier<ByteBuf> waiting) {
            super(usual);
            this.waiting = waiting;
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            ByteBuf memory = waiting.get();
            return memory != null ? memory : super.allocate(allocator);
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
            return ((ExtendedHandle) delegate()).continueReading(maybeMoreData);
        }
    }
}
