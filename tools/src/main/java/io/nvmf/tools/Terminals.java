package io.nvmf.tools;

import jnr.ffi.LibraryLoader;

/** Asks the C library whether a file descriptor is a terminal; Java itself tells only for all three at once. */
final class Terminals {
    private Terminals() {}

    /** Public because the code that jnr-ffi makes implements it. */
    public interface LibC {
        int isatty(int fd);
    }

    /** False as well when it cannot be known. */
    static boolean isTerminal(int fd) {
        try {
            return LibraryLoader.create(LibC.class).failImmediately().load("c").isatty(fd) == 1;
        } catch (UnsatisfiedLinkError | RuntimeException e) {
            return false;
        }
    }
}
