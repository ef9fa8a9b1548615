package io.nvmf.initiator.transport;

import io.netty.channel.unix.Buffer;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/** Lends callers' memory to a socket, to send or to fill, and tells when it comes back. Owned by the connection's event loop. */
final class LentBufferPool {
    private static final int MAX_IDLE = 1024;

    private final ArrayDeque<LentBuffer> idle = new ArrayDeque<>();
    private final Consumer<Command> returned;
    private boolean addresses;

    /** @param returned told of each buffer that comes back, after it was counted in its command */
    LentBufferPool(Consumer<Command> returned) {
        this.returned = returned;
    }

    /** Whether the socket takes memory by its address; otherwise each buffer costs a view. */
    void useAddresses(boolean addresses) {
        this.addresses = addresses;
    }

    /** The bytes of {@code memory} from absolute {@code index} on, to be read, with one reference. */
    LentBuffer toSend(Command command, ByteBuffer memory, int index, int lengthBytes) {
        LentBuffer buffer = take(command, memory, index, lengthBytes);
        buffer.writerIndex(lengthBytes);
        return buffer;
    }

    /** Room for bytes in {@code memory} from absolute {@code index} on, to be filled, with one reference. */
    LentBuffer toReceive(Command command, ByteBuffer memory, int index, int lengthBytes) {
        return take(command, memory, index, lengthBytes);
    }

    private LentBuffer take(Command command, ByteBuffer memory, int index, int lengthBytes) {
        LentBuffer buffer = idle.poll();
        if (buffer == null) {
            buffer = new LentBuffer(this);
        }
        command.lent();
        buffer.lend(command, memory, index, lengthBytes, addresses ? Buffer.memoryAddress(memory) + index : 0);
        return buffer;
    }

    void onReturned(LentBuffer buffer, Command command) {
        if (idle.size() < MAX_IDLE) {
            idle.push(buffer);
        }
        command.returned();
        returned.accept(command);
    }
}
