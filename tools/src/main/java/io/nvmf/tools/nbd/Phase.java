package io.nvmf.tools.nbd;

import io.netty.buffer.ByteBuf;

/** What a connection does with the bytes that come. */
interface Phase {
    /** Uses some of what has come. @return false when it needs more, or has to wait */
    boolean advance(ByteBuf in);

    /** Whether the client owes something, or is owed something: then it must not be silent for long. */
    boolean isOwed();

    /** The connection is closed. */
    void ended();
}
