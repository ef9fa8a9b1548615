package io.nvmf.it.speed;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** A channel without a socket: counts what is sent through it and throws it away, or keeps it. Owned by the thread that uses it. */
public final class DiscardChannel extends EmbeddedChannel {
    private static final InetSocketAddress ADDRESS = new InetSocketAddress(InetAddress.getLoopbackAddress(), 4420);

    private long sentBytes;
    private ByteBuf kept;

    public DiscardChannel(ChannelHandler... handlers) {
        super(handlers);
        // As sockets have it.
        config().setAllocator(PooledByteBufAllocator.DEFAULT);
    }

    /** How many bytes were sent so far. */
    public long sentBytes() {
        return sentBytes;
    }

    /** Appends a copy of what is sent to a buffer from now on; null to do so no more. */
    public void keepIn(ByteBuf buffer) {
        kept = buffer;
    }

    @Override
    protected void handleOutboundMessage(Object message) {
        ByteBuf bytes = (ByteBuf) message;
        sentBytes += bytes.readableBytes();
        if (kept != null) {
            kept.writeBytes(bytes, bytes.readerIndex(), bytes.readableBytes());
        }
        ReferenceCountUtil.release(message);
    }

    @Override
    protected SocketAddress localAddress0() {
        return ADDRESS;
    }

    @Override
    protected SocketAddress remoteAddress0() {
        return ADDRESS;
    }
}
