package io.nvmf.tools.nbd;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client's connection: collects what comes until its {@link Phase} can use it, and ends when the client breaks the
 * protocol or is silent where it should not be. Owned by the server's event loop.
 */
final class NbdConnection extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(NbdConnection.class);
    private static final long SILENCE_S = 30;
    private static final long CHECK_S = 5;

    private final Channel channel;
    private final String peer;
    private ByteBuf in = Unpooled.EMPTY_BUFFER;
    private Phase phase;
    private boolean isWaiting;
    private boolean isFlushDue;
    private long lastProgressNanos = System.nanoTime();
    private Future<?> check;

    NbdConnection(Channel channel, String peer, Served served) {
        this.channel = channel;
        this.peer = peer;
        phase = new Negotiation(this, served);
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        LOG.debug("{}: connected", peer);
        check = channel.eventLoop().scheduleAtFixedRate(this::checkSilence, CHECK_S, CHECK_S, TimeUnit.SECONDS);
        ((Negotiation) phase).greet();
    }

    /** The next phase gets the bytes that follow. */
    void enter(Phase next) {
        phase = next;
    }

    // ---- In

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        progressed();
        if (in.isReadable()) {
            ByteBuf joined = channel.alloc().buffer(in.readableBytes() + bytes.readableBytes());
            joined.writeBytes(in).writeBytes(bytes);
            in.release();
            bytes.release();
            in = joined;
        } else {
            in.release();
            in = bytes;
        }
        advance();
    }

    private void advance() {
        try {
            while (!isWaiting && channel.isActive() && phase.advance(in)) {
                // There may be more in it.
            }
        } catch (ProtocolException e) {
            LOG.warn("{}: closing: {}", peer, e.getMessage());
            channel.close();
        }
    }

    /** Nothing more is read until {@link #resume}. */
    void pause() {
        isWaiting = true;
        channel.config().setAutoRead(false);
    }

    void resume() {
        isWaiting = false;
        advance();
        if (!isWaiting) {
            channel.config().setAutoRead(true);
        }
    }

    // ---- Out

    /** A buffer for what is sent. */
    ByteBuf buffer(int bytes) {
        return channel.alloc().directBuffer(bytes);
    }

    /** Sends it with all else that this turn of the loop brings. */
    ChannelFuture send(ByteBuf bytes) {
        if (!isFlushDue) {
            isFlushDue = true;
            channel.eventLoop().execute(() -> {
                isFlushDue = false;
                channel.flush();
            });
        }
        return channel.write(bytes).addListener(done -> progressed());
    }

    boolean isOpen() {
        return channel.isActive();
    }

    /** Closes it when all that was sent has gone out. */
    void finish() {
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(done -> channel.close());
    }

    /** Runs something on the loop that owns this connection. */
    void onLoop(Runnable task) {
        channel.eventLoop().execute(task);
    }

    // ---- The end

    private void progressed() {
        lastProgressNanos = System.nanoTime();
    }

    private void checkSilence() {
        boolean isLate = System.nanoTime() - lastProgressNanos > TimeUnit.SECONDS.toNanos(SILENCE_S);
        if (isLate && phase.isOwed()) {
            LOG.warn("{}: closing: silent for more than {} s", peer, SILENCE_S);
            channel.close();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        LOG.debug("{}: closed", peer);
        if (check != null) {
            check.cancel(false);
        }
        phase.ended();
        in.release();
        in = Unpooled.EMPTY_BUFFER;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.debug("{}: closing", peer, cause);
        channel.close();
    }

    @Override
    public String toString() {
        return peer;
    }
}
