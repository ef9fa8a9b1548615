package io.nvmf.target.command.io;

/** What a command wants of a namespace, which decides what can keep it away. */
enum Access {
    /** Blocks are looked at. */
    READ,
    /** Blocks are changed. */
    WRITE,
    /** What was written is to last; nothing changes. To a reservation it is a write. */
    FLUSH,
    /** Something is said of blocks; nothing changes. To a reservation it is a write. */
    ADVISE
}
