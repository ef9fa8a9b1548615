package io.nvmf.tools;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * The name of a UNIX socket that is listened on and that only its owner may use. A lock on a file beside it,
 * {@code NAME.lock}, says whose it is: a socket that a process has left behind when it was killed is replaced, one in use is
 * not.
 */
public final class SocketFile implements AutoCloseable {
    private static final int S_IFMT = 0170000;
    private static final int S_IFSOCK = 0140000;

    private final Path path;
    private final FileChannel lock;

    private SocketFile(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /** Binds a socket that is open, and listens. */
    public interface Binding {
        void bind(Path name) throws IOException;
    }

    /**
     * Takes the name and gives it to a socket. Whoever made that closes it, also when this fails.
     *
     * @throws IOException when that cannot be; the message is one sentence
     */
    public static SocketFile open(Path path, Binding binding) throws IOException {
        requireSocketOrNothing(path);
        SocketFile file = new SocketFile(path, lock(path));
        boolean bound = false;
        try {
            file.requireUnused();
            file.bind(binding);
            bound = true;
            return file;
        } finally {
            if (!bound) {
                file.lock.close();
            }
        }
    }

    private static void requireSocketOrNothing(Path path) throws IOException {
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && !isSocket(path)) {
            throw new IOException(path + " is there and is no socket: name another");
        }
    }

    /** Whether a socket, of whatever kind, has this name. */
    public static boolean isSocket(Path path) throws IOException {
        int mode = (Integer) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
        return (mode & S_IFMT) == S_IFSOCK;
    }

    private static FileChannel lock(Path path) throws IOException {
        Path file = path.resolveSibling(path.getFileName() + ".lock");
        FileChannel lock;
        try {
            lock = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new IOException("cannot use " + path + ": " + file + " cannot be opened (" + e + ")", e);
        }
        boolean locked = false;
        try {
            locked = lock.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            locked = false;
        } finally {
            if (!locked) {
                lock.close();
            }
        }
        if (!locked) {
            throw new IOException(path + " is in use by another nvmf: stop that, or name another socket");
        }
        return lock;
    }

    private void requireUnused() throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (SocketChannel other = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            other.connect(UnixDomainSocketAddress.of(path));
        } catch (IOException e) {
            return; // nobody listens
        }
        throw new IOException(path + " is in use by another program: name another socket");
    }

    /** Nobody knows the socket by the name that it has before its mode is right. */
    private void bind(Binding binding) throws IOException {
        Path hidden = path.resolveSibling(
                "." + path.getFileName() + "." + ProcessHandle.current().pid());
        try {
            Files.deleteIfExists(hidden);
            binding.bind(hidden);
            Files.setPosixFilePermissions(hidden, PosixFilePermissions.fromString("rw-------"));
            Files.move(hidden, path, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new IOException("cannot listen on " + path + ": " + e.getMessage(), e);
        } finally {
            Files.deleteIfExists(hidden);
        }
    }

    public Path path() {
        return path;
    }

    /** After the socket is closed. The lock file stays: deleting it would let two in that come at the same time. */
    @Override
    public void close() throws IOException {
        try (lock) {
            if (lock.isOpen()) {
                Files.deleteIfExists(path);
            }
        }
    }
}
