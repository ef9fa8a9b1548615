package io.nvmf.target.command.io;

import io.nvmf.target.backend.BlockCompletion;
import io.nvmf.target.backend.BlockError;
import io.nvmf.target.command.Command;
import io.nvmf.target.command.ScratchBuffers;

/**
 * Goes through bytes in pieces of the command's scratch buffer, one after the other, and lets the event loop do other things in
 * between. Owned by the command's loop.
 */
abstract class Pieces {
    /** After so many pieces in a row others have their turn. */
    private static final int PIECES_A_TURN = 16;

    final Command command;
    private final long lengthBytes;
    private final BlockCompletion whenPieceDone = this::pieceDone;
    private final Runnable turn = this::run;
    private long doneBytes;
    private boolean running;
    private boolean again;

    Pieces(Command command, long lengthBytes) {
        this.command = command;
        this.lengthBytes = lengthBytes;
    }

    /** Does one piece, then calls the completion: with an error nothing follows. */
    abstract void piece(long fromBytes, int pieceBytes, BlockCompletion completion);

    /** All pieces are done, or one failed; nothing more happens here. */
    abstract void ended(BlockError error);

    /** Goes on until all is done. */
    final void run() {
        if (running) {
            again = true;
            return;
        }
        running = true;
        int pieces = 0;
        do {
            again = false;
            if (pieces++ == PIECES_A_TURN) {
                command.queue().loop().execute(turn);
                break;
            }
            next();
        } while (again);
        running = false;
    }

    private void next() {
        if (doneBytes == lengthBytes) {
            ended(BlockError.NONE);
        } else if (command.queue().isClosed()) {
            // Nobody will be told; of the device it says nothing.
            ended(BlockError.BUSY);
        } else {
            piece(doneBytes, pieceBytes(), whenPieceDone);
        }
    }

    private int pieceBytes() {
        return (int) Math.min(lengthBytes - doneBytes, ScratchBuffers.BYTES);
    }

    private void pieceDone(BlockError error) {
        if (error != BlockError.NONE) {
            ended(error);
            return;
        }
        doneBytes += pieceBytes();
        run();
    }
}
