package io.nvmf.tools;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads what a command sends. */
final class InputFile {
    static final String STDIN = "-";

    private InputFile() {}

    /**
     * The first bytes of a file.
     *
     * @param file {@link #STDIN} for standard input
     * @return of {@link Device#buffer}
     * @throws CommandException if there are fewer
     */
    static ByteBuffer read(Console console, String file, int lengthBytes) throws IOException, CommandException {
        byte[] bytes;
        if (file.equals(STDIN)) {
            bytes = console.in().readNBytes(lengthBytes);
        } else {
            try (InputStream in = Files.newInputStream(Path.of(file))) {
                bytes = in.readNBytes(lengthBytes);
            }
        }
        if (bytes.length < lengthBytes) {
            throw new CommandException((file.equals(STDIN) ? "standard input" : file) + " has " + bytes.length
                    + " of the " + lengthBytes + " bytes that are needed");
        }
        return Device.buffer(lengthBytes).put(0, bytes);
    }
}
