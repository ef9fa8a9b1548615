package io.nvmf.tools;

import io.nvmf.transport.rdma.RdmaProvider;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A command that ran to its end inside the test. */
record CommandRun(int status, byte[] outBytes, String err) {
    static CommandRun of(String... words) {
        return withInput(new byte[0], words);
    }

    static CommandRun withInput(byte[] input, String... words) {
        return withInput(new ByteArrayInputStream(input), words);
    }

    static CommandRun withInput(InputStream input, String... words) {
        return run(input, new ByteArrayOutputStream(), false, new MissingRdma(), words);
    }

    /** With RDMA devices. */
    static CommandRun withRdma(RdmaProvider rdma, String... words) {
        return run(InputStream.nullInputStream(), new ByteArrayOutputStream(), false, rdma, words);
    }

    /** With an output of one's own for data, which the result then has not. */
    static CommandRun withStreams(InputStream input, OutputStream data, String... words) {
        return run(input, data, false, new MissingRdma(), words);
    }

    /** With standard output and error that seem to be a terminal. */
    static CommandRun onTerminal(String... words) {
        return run(InputStream.nullInputStream(), new ByteArrayOutputStream(), true, new MissingRdma(), words);
    }

    private static CommandRun run(
            InputStream input, OutputStream data, boolean onTerminal, RdmaProvider rdma, String... words) {
        ByteArrayOutputStream out = data instanceof ByteArrayOutputStream kept ? kept : new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console = new Console(
                input,
                new PrintStream(out, false, StandardCharsets.UTF_8),
                data,
                new PrintStream(err, true, StandardCharsets.UTF_8),
                fd -> onTerminal,
                rdma);
        int status = Nvmf.run(List.of(words), console);
        console.out().flush();
        return new CommandRun(status, out.toByteArray(), err.toString(StandardCharsets.UTF_8));
    }

    String out() {
        return new String(outBytes, StandardCharsets.UTF_8);
    }
}
