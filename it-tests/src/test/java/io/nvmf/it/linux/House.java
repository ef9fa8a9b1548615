package io.nvmf.it.linux;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Places and ports on this machine that the tests against the kernel use. */
final class House {
    /** The top of the source tree; failsafe runs in it-tests. */
    static final Path TOP = Path.of("").toAbsolutePath().getParent();

    private House() {}

    /** The command as a user starts it, from the tree. */
    static String nvmf() {
        return TOP.resolve("nvmf").toString();
    }

    /** An empty directory under {@code it-tests/target/guest}; what a test leaves there stays for a look. */
    static Path emptyDirectory(String name) {
        Path directory = TOP.resolve("it-tests/target/guest").resolve(name);
        try {
            if (Files.exists(directory)) {
                try (Stream<Path> old = Files.walk(directory)) {
                    List<Path> deepestFirst =
                            old.sorted(Comparator.reverseOrder()).toList();
                    for (Path path : deepestFirst) {
                        Files.delete(path);
                    }
                }
            }
            return Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A TCP port that is free on loopback now. */
    static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
