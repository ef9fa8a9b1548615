package io.nvmf.tools.rpc;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * A UNIX socket under a name that only its owner may use. A lock on a file beside it, {@code NAME.lock}, says whose it is:
 * a socket that a target has left behind when it was killed is replaced, one in use is not.
 */
final class SocketFile implements AutoCloseable {
    private static final int S_IFMT = 0170000;
    private static final int S_IFSOCK = 0140000;

    private final Path path;
    private final FileChannel lock;
    private final ServerSocketChannel channel;

    private SocketFile(Path path, FileChannel lock, ServerSocketChannel channel) {
        this.path = path;
        this.lock = lock;
        this.channel = channel;
    }

    /** @throws IOException when that cannot be; the message is one sentence */
    static SocketFile open(Path path) throws IOException {
        FileChannel lock = lock(path);
        ServerSocketChannel channel = null;
        try {
            requireFree(path);
            channel = bind(path);
            return new SocketFile(path, lock, channel);
        } finally {
            if (channel == null) {
                lock.close();
            }
        }
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
            throw new IOException(path + " is in use by another target: stop that, or name another socket");
        }
        return lock;
    }

    private static void requireFree(Path path) throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        int mode = (Integer) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
        if ((mode & S_IFMT) != S_IFSOCK) {
            throw new IOException(path + " is there and is no socket: name another");
        }
        try (SocketChannel other = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            other.connect(UnixDomainSocketAddress.of(path));
        } catch (IOException e) {
            return; // nobody listens
        }
        throw new IOException(path + " is in use by another program: name another socket");
    }

    /** Nobody knows the socket by the name that it has before its mode is right. */
    private static ServerSocketChannel bind(Path path) throws IOException {
        Path hidden = path.resolveSibling(
                "." + path.getFileName() + "." + ProcessHandle.current().pid());
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        boolean bound = false;
        try {
            Files.deleteIfExists(hidden);
            channel.bind(UnixDomainSocketAddress.of(hidden));
            Files.setPosixFilePermissions(hidden, PosixFilePermissions.fromString("rw-------"));
            Files.move(hidden, path, StandardCopyOption.ATOMIC_MOVE);
            bound = true;
            return channel;
        } catch (IOException e) {
            throw new IOException("cannot listen on " + path + ": " + e.getMessage(), e);
        } finally {
            if (!bound) {
                channel.close();
                Files.deleteIfExists(hidden);
            }
        }
    }

    ServerSocketChannel channel() {
        return channel;
    }

    Path path() {
        return path;
    }

    /** The lock file stays: deleting it would let two targets in that come at the same time. */
    @Override
    public void close() throws IOException {
        try {
            channel.close();
            Files.deleteIfExists(path);
        } finally {
            lock.close();
        }
    }
}
