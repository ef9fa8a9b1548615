package io.nvmf.tools.rpc;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;

/**
 * One client: its requests are read, done and answered one after the other on a thread of its own, which blocks. Another
 * thread watches that the client does not keep it waiting for ever.
 */
final class RpcConnection {
    /** What the client owes. */
    private enum Owed {
        /** A method runs: what there is to wait for is our own. */
        NOTHING,
        /** The next request, which need never come. */
        REQUEST,
        /** Its rest: some of it is there. */
        REST,
        /** To take the answer. */
        TAKING
    }

    private final SocketChannel channel;
    private final JsonStream stream;
    private final RpcDispatcher dispatcher;

    /** Both guarded by this. */
    private Owed owed;

    private long owedSinceNanos;

    RpcConnection(SocketChannel channel, RpcDispatcher dispatcher) {
        this.channel = channel;
        this.dispatcher = dispatcher;
        this.stream = new JsonStream(channel, JsonStream.MAX_REQUEST_BYTES, () -> owes(Owed.REST));
        owes(Owed.REQUEST);
    }

    /** Returns when the client has left, or was ended. */
    void answerAll() throws IOException {
        while (true) {
            owes(Owed.REQUEST);
            JsonNode message;
            try {
                message = stream.read();
            } catch (RpcException e) {
                // Where the next value would begin is not known: this is the last answer.
                answer(RpcDispatcher.failure(null, e));
                stream.leave();
                return;
            }
            if (message == null) {
                return;
            }
            owes(Owed.NOTHING);
            if (!channel.isOpen()) {
                return; // it had to make room just then
            }
            JsonNode answer = dispatcher.answer(message);
            if (answer != null) {
                answer(answer);
            }
        }
    }

    /** Tells a client that was never served why. */
    void refuse(String why) throws IOException {
        stream.write(RpcDispatcher.failure(null, new RpcException(RpcException.INTERNAL_ERROR, why)));
    }

    private void answer(JsonNode answer) throws IOException {
        owes(Owed.TAKING);
        stream.write(answer);
    }

    private synchronized void owes(Owed now) {
        if (owed != now) {
            owed = now;
            owedSinceNanos = System.nanoTime();
        }
    }

    /** For how long the client has kept the thread waiting; below 0 when it does not. */
    synchronized long waitingMs() {
        return owed == Owed.NOTHING ? -1 : TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - owedSinceNanos);
    }

    /** Ends it if it owes something for too long; then half a request is answered still. */
    void endWhenLate(RpcLimits limits) throws IOException {
        switch (lateWith(limits)) {
            case REQUEST, REST -> channel.shutdownInput();
            case TAKING -> channel.close();
            default -> {}
        }
    }

    private synchronized Owed lateWith(RpcLimits limits) {
        long allowedMs = owed == Owed.REQUEST ? limits.idleMs() : limits.owedMs();
        return waitingMs() > allowedMs ? owed : Owed.NOTHING;
    }

    /** Ends it at once, unless a method runs for it. */
    synchronized boolean endUnlessBusy() throws IOException {
        if (owed == Owed.NOTHING) {
            return false;
        }
        channel.close();
        return true;
    }

    /** Ends it at once; a method that runs goes on to its end. */
    void close() throws IOException {
        channel.close();
    }
}
