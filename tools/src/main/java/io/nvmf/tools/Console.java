package io.nvmf.tools;

import io.nvmf.transport.rdma.Rdma;
import io.nvmf.transport.rdma.RdmaProvider;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.util.function.IntPredicate;

/**
 * What a command meets outside: where it reads and writes, and the RDMA devices.
 *
 * @param in unbuffered standard input
 * @param out results
 * @param data unbuffered standard output, whose exceptions name what is wrong
 * @param err errors, warnings, progress
 * @param terminals tells whether a file descriptor, 1 or 2, is a terminal
 * @param rdma how RDMA devices are reached
 */
record Console(
        InputStream in,
        PrintStream out,
        OutputStream data,
        PrintStream err,
        IntPredicate terminals,
        RdmaProvider rdma) {
    private static final int STDOUT = 1;
    private static final int STDERR = 2;

    static Console system() {
        return new Console(
                new FileInputStream(FileDescriptor.in),
                System.out,
                new FileOutputStream(FileDescriptor.out),
                System.err,
                Terminals::isTerminal,
                Rdma.provider());
    }

    boolean outIsTerminal() {
        return terminals.test(STDOUT);
    }

    boolean errIsTerminal() {
        return terminals.test(STDERR);
    }

    void warn(String sentence) {
        err.println("nvmf: warning: " + sentence);
    }

    /** Writes all bytes of a buffer, from 0 to its capacity, as data. */
    void writeRaw(ByteBuffer bytes) throws IOException {
        byte[] copy = new byte[bytes.capacity()];
        bytes.get(0, copy);
        data.write(copy);
        data.flush();
    }
}
