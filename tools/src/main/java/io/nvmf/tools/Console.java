package io.nvmf.tools;

import java.io.InputStream;
import java.io.PrintStream;

/**
 * Where a command reads and writes.
 *
 * @param in unbuffered standard input
 * @param out results
 * @param err errors, warnings, progress
 * @param errIsTerminal whether a person may be watching {@code err}
 */
record Console(InputStream in, PrintStream out, PrintStream err, boolean errIsTerminal) {
    private static final int STDERR = 2;

    static Console system() {
        return new Console(System.in, System.out, System.err, Terminals.isTerminal(STDERR));
    }

    void warn(String sentence) {
        err.println("nvmf: warning: " + sentence);
    }
}
