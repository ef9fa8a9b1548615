package io.nvmf.target.command;

import io.netty.buffer.ByteBuf;
import io.nvmf.codec.Status;

/** What one opcode does. Stateless; shared by all event loops. */
public interface CommandHandler {
    /** {@link #check} result for a command that moves no data. */
    long NO_DATA = 0;

    /**
     * Checks everything that can be known before data moves.
     *
     * @return how many bytes of data the command moves, or {@link #refuse} with a status
     */
    long check(Command command);

    /** Whether the host may describe more data than the command needs; what is over is fetched and not looked at. */
    default boolean acceptsLongerData() {
        return false;
    }

    /** Does it. For a command that sends data to the controller, the data is there. Completes the command, now or later. */
    void execute(Command command);

    /**
     * Gets the data that a command sends to the host, when it is at hand. Called right after {@link #check}, in place of
     * {@link #execute}; completes nothing.
     *
     * @param target has room for the data from {@code index} on
     * @return whether all of the data is there: then the command has succeeded; if not, {@link #execute} is still to be called
     */
    default boolean readNow(Command command, ByteBuf target, int index) {
        return false;
    }

    /**
     * Stores the data that the host sent with a command, if that can be done at once. Called some time after {@link #check}, in
     * place of {@link #execute}; completes nothing.
     *
     * @param source has the data from {@code index} on; not kept
     * @return whether all is done: then the command has succeeded; if not, {@link #execute} is still to be called
     */
    default boolean writeNow(Command command, ByteBuf source, int index) {
        return false;
    }

    /** A {@link #check} result that completes the command with a status and DNR: the same command would fail again. */
    static long refuse(int status) {
        return refuseAs(status | Status.DNR);
    }

    /** A {@link #check} result that completes the command with a status, with the flags it has. */
    static long refuseAs(int status) {
        return -1L - status;
    }

    /** The status in a negative {@link #check} result. */
    static int refusal(long checked) {
        return (int) (-1L - checked);
    }
}
