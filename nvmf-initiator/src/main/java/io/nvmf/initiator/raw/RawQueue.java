package io.nvmf.initiator.raw;

import io.nvmf.codec.Cqe;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.log.TransportType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A queue pair over one connection, for commands whose data shall travel as it must: what the target asks for is sent, what
 * it sends is kept. All that comes is held against the specification; what does not fit is a {@linkplain #breaches breach},
 * and things go on as well as they can. Blocking, one thread.
 */
public abstract class RawQueue implements AutoCloseable {
    private static final int FIRST_COMMAND_ID = 0x0100;

    private final Map<Integer, Outstanding> outstanding = new LinkedHashMap<>();
    private final List<String> breaches = new ArrayList<>();
    private int nextCommandId = FIRST_COMMAND_ID;
    private int depth = 1;
    private boolean flowControl = true;
    private long submitted;
    private int lastSqHead = -1;

    /** A command on its way. */
    protected static final class Outstanding {
        final Sqe sqe;
        final Payload payload;
        final byte[] data;
        final long sentNanos = System.nanoTime();
        int dataBytes;
        int fetchedBytes;
        boolean lastSeen;
        Answer answer;

        Outstanding(Sqe sqe, Payload payload) {
            this.sqe = sqe;
            this.payload = payload;
            data = new byte[payload.inBytes()];
        }

        int commandId() {
            return sqe.commandId();
        }
    }

    public abstract TransportType transport();

    /** What the trace calls the connection. */
    public abstract String name();

    public abstract Trace trace();

    /** Whether the target still holds the connection, as far as is known. */
    public abstract boolean isOpen();

    /** Whether capsules wait, to be sent all at once when they do no longer. */
    public abstract void holdCapsules(boolean hold) throws IOException;

    /** Sends a command with its data; SGL1 is set. */
    protected abstract void transmit(Outstanding command) throws IOException;

    /**
     * Takes in one thing that comes.
     *
     * @return false when nothing came in time, or the connection is over
     */
    public abstract boolean pump(long timeoutMs) throws IOException;

    @Override
    public abstract void close();

    // ---- commands

    /** Sends a command under a CID of its own. @return the CID */
    public int submit(Sqe sqe, Payload payload) throws IOException {
        int commandId = nextCommandId;
        nextCommandId = commandId == 0xFFFE ? 0 : commandId + 1;
        submit(sqe.commandId(commandId), payload, commandId);
        return commandId;
    }

    /** As {@link #submit(Sqe, Payload)}, under this CID; one that is used already is another command from now on. */
    public void submit(Sqe sqe, Payload payload, int commandId) throws IOException {
        sqe.commandId(commandId);
        Sqe copy = Sqe.allocate();
        copy.buffer().put(0, sqe.buffer(), sqe.offset(), Sqe.BYTES);
        Outstanding command = new Outstanding(copy, payload);
        outstanding.put(commandId, command);
        submitted++;
        transmit(command);
    }

    /** What becomes of a command within this time. Once: an answer is given out and forgotten. */
    public Answer await(int commandId, long timeoutMs) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        Outstanding command = outstanding.get(commandId);
        if (command == null) {
            throw new IllegalArgumentException("no command " + commandId + " is outstanding");
        }
        while (command.answer == null) {
            long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (!pump(Math.max(0, leftMs)) && command.answer == null) {
                return end(command, isOpen() ? Answer.Kind.SILENCE : Answer.Kind.CONNECTION_ENDED);
            }
        }
        outstanding.remove(commandId, command);
        return command.answer;
    }

    /** Whether a command has been answered; what has come already is looked at, nothing is waited for. */
    public boolean isAnswered(int commandId) throws IOException {
        while (pump(0)) {
            // Until there is nothing more.
        }
        Outstanding command = outstanding.get(commandId);
        return command == null || command.answer != null;
    }

    /** Sends a command and waits for what becomes of it. */
    public Answer execute(Sqe sqe, Payload payload, long timeoutMs) throws IOException {
        return await(submit(sqe, payload), timeoutMs);
    }

    private static Answer end(Outstanding command, Answer.Kind kind) {
        return new Answer(kind, null, command.data, command.dataBytes, command.fetchedBytes, micros(command));
    }

    private static long micros(Outstanding command) {
        return (System.nanoTime() - command.sentNanos) / 1000;
    }

    // ---- what comes

    /** What the target did that the specification does not allow, in the order in which it did. */
    public List<String> breaches() {
        return List.copyOf(breaches);
    }

    protected final void breach(String what) {
        breaches.add(what);
        trace().note(name(), "BREACH: " + what);
    }

    /** The command with this CID that has no answer yet, or null, which is a breach. */
    protected final Outstanding find(int commandId, String whatCame) {
        Outstanding command = outstanding.get(commandId);
        if (command == null || command.answer != null) {
            breach(whatCame + " for CID " + Integer.toHexString(commandId) + "h, of which no command is outstanding");
            return null;
        }
        return command;
    }

    /** Ends a command. @param completion null for data that said SUCCESS */
    protected final void complete(Outstanding command, Cqe completion) {
        boolean success = completion == null || Status.isSuccess(completion.status());
        if (success && command.dataBytes < command.payload.leastInBytes()) {
            breach("success of CID " + Integer.toHexString(command.commandId()) + "h after " + command.dataBytes
                    + " of " + command.payload.leastInBytes() + " bytes of data");
        }
        if (completion != null) {
            checkSqHead(completion.sqhd());
        }
        command.answer = new Answer(
                Answer.Kind.COMPLETED,
                completion,
                command.data,
                command.dataBytes,
                command.fetchedBytes,
                micros(command));
    }

    /** The queue is connected: SQHD can be judged from here on, from the completion of Connect. */
    public void connected(int depth, boolean flowControl) {
        this.depth = depth;
        this.flowControl = flowControl;
        submitted = 1;
        lastSqHead = -1;
    }

    /** SQHD moves on by no more than what was submitted since, and stays below the depth (NVMe Base 2.0 s3.3.3.2). */
    private void checkSqHead(int sqHead) {
        if (depth <= 1 || !flowControl) {
            return;
        }
        if (sqHead >= depth) {
            breach("SQHD " + sqHead + " on a queue of " + depth + " entries");
            return;
        }
        int tail = (int) (submitted % depth);
        if (lastSqHead >= 0) {
            int moved = Math.floorMod(sqHead - lastSqHead, depth);
            int possible = Math.floorMod(tail - lastSqHead, depth);
            // A whole round of commands looks as if nothing had been submitted.
            if (moved > possible && possible != 0) {
                breach("SQHD went from " + lastSqHead + " to " + sqHead + ", beyond the tail " + tail);
            }
        }
        lastSqHead = sqHead;
    }
}
