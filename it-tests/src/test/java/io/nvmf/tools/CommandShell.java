package io.nvmf.tools;

import io.nvmf.it.rdma.Program;
import io.nvmf.transport.rdma.Rdma;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Runs many {@code nvmf} commands in one process, for an emulated guest where the start of a JVM is most of each. Each line
 * of standard input is one: its number, files to read from, to write to and for errors, and the words of the command, separated by tabs. Each
 * is answered by a line with its number and the exit status. There are {@link Program}s, too, that are no commands.
 */
public final class CommandShell {
    private CommandShell() {}

    public static void main(String[] args) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        System.out.println("ready");
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = line.split("\t", 2);
            System.out.println(words[0] + " " + run(List.of(words[1].split("\t"))));
        }
        System.exit(0);
    }

    private static int run(List<String> words) throws IOException {
        try (InputStream in = new FileInputStream(words.get(0));
                OutputStream data = new FileOutputStream(words.get(1));
                PrintStream out = new PrintStream(data, true, StandardCharsets.UTF_8);
                PrintStream err = new PrintStream(new FileOutputStream(words.get(2)), true, StandardCharsets.UTF_8)) {
            List<String> command = words.subList(3, words.size());
            Program program = Program.ALL.get(command.get(0));
            if (program != null) {
                return run(program, command.subList(1, command.size()), out, err);
            }
            Console console = new Console(in, out, data, err, fd -> false, Rdma.provider());
            int status = Nvmf.run(command, console);
            out.flush();
            return status;
        }
    }

    private static int run(Program program, List<String> arguments, PrintStream out, PrintStream err) {
        try {
            program.run(arguments, out);
            return Nvmf.SUCCESS;
        } catch (Exception | AssertionError e) {
            e.printStackTrace();
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                err.println(cause);
            }
            return Nvmf.FAILURE;
        }
    }
}
