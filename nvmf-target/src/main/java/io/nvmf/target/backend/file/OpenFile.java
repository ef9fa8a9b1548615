package io.nvmf.target.backend.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file that has been checked, opened and locked. Every reason why that fails is told in one sentence that says what to
 * do.
 *
 * @param fd the file descriptor; the owner closes it
 * @param sizeBytes usable length: whole blocks of 512 bytes, or of 4096 with O_DIRECT
 * @param isNew whether it was created
 */
record OpenFile(int fd, long sizeBytes, boolean isNew) {
    private static final Logger LOG = LoggerFactory.getLogger(OpenFile.class);

    /** Images hold other people's data: for the owner alone. */
    private static final int NEW_FILE_MODE = 0600;

    private static final int ABSENT = 0;
    private static final int S_IFMT = 0170000;
    private static final int S_IFREG = 0100000;
    private static final int S_IFBLK = 0060000;

    static OpenFile open(LibC libC, Path path, FileOptions options) throws IOException {
        checkSizeOption(path, options);
        int type = fileType(libC, path, options);
        if (type == ABSENT) {
            return create(libC, path, options);
        }
        if (type != S_IFREG && type != S_IFBLK) {
            throw new IOException(path + " is neither a regular file nor a block device: name an image file or a disk");
        }
        // On a block device, without O_CREAT, O_EXCL asks the kernel whether it is mounted or otherwise taken.
        int exclusive = type == S_IFBLK && !options.readOnly() ? LibC.O_EXCL : 0;
        int fd = openOrExplain(libC, path, options, exclusive);
        try {
            lock(libC, fd, path, options);
            return new OpenFile(fd, usableSize(libC, fd, path, options), false);
        } catch (IOException e) {
            libC.close(fd);
            throw e;
        }
    }

    private static int fileType(LibC libC, Path path, FileOptions options) throws IOException {
        try {
            return (Integer) Files.getAttribute(path, "unix:mode") & S_IFMT;
        } catch (AccessDeniedException e) {
            throw new IOException(explain(Errno.EACCES, path, options, libC), e);
        } catch (FileSystemException e) {
            return ABSENT;
        }
    }

    private static void checkSizeOption(Path path, FileOptions options) throws IOException {
        long size = options.sizeBytes();
        if (size < 0 || size % options.sizeUnitBytes() != 0) {
            throw new IOException("The size of " + path + " must be a multiple of " + options.sizeUnitBytes()
                    + " bytes: " + size + " is not");
        }
    }

    private static OpenFile create(LibC libC, Path path, FileOptions options) throws IOException {
        if (options.sizeBytes() == 0 || options.readOnly()) {
            throw new IOException(path + " does not exist: "
                    + (options.readOnly() ? "it cannot be created read-only" : "give a size to create it"));
        }
        int fd = openOrExplain(libC, path, options, LibC.O_CREAT | LibC.O_EXCL);
        try {
            lock(libC, fd, path, options);
            if (libC.ftruncate(fd, options.sizeBytes()) != 0) {
                throw new IOException(path + " cannot be made " + options.sizeBytes() + " bytes long (" + reason(libC)
                        + "): give a smaller size or another file system");
            }
            syncDirectory(path);
            LOG.info("Created {}, {} bytes, sparse", path, options.sizeBytes());
            return new OpenFile(fd, options.sizeBytes(), true);
        } catch (IOException e) {
            Files.deleteIfExists(path);
            libC.close(fd);
            throw e;
        }
    }

    /** The same file at another length, when it may have that; 0 for the one that it has. It is left as it is. */
    OpenFile ofLength(LibC libC, Path path, FileOptions options, long newSizeBytes) throws IOException {
        if (newSizeBytes == 0) {
            return new OpenFile(fd, usableSize(libC, fd, path, options.withSizeBytes(0)), isNew);
        }
        checkSizeOption(path, options.withSizeBytes(newSizeBytes));
        if (fileType(libC, path, options) == S_IFBLK) {
            throw new IOException(path + " is a disk, which has the size it has: leave the size out");
        }
        return new OpenFile(fd, newSizeBytes, isNew);
    }

    /** Makes the file as long as this says. It is left as it is when that fails. */
    void cutOrExtend(LibC libC, Path path) throws IOException {
        if (libC.ftruncate(fd, sizeBytes) != 0) {
            throw new IOException(path + " cannot be made " + sizeBytes + " bytes long: " + reason(libC));
        }
    }

    /** Else a loss of power could take the name of a file whose data was flushed. */
    private static void syncDirectory(Path path) throws IOException {
        try (FileChannel directory = FileChannel.open(path.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
            directory.force(true);
        }
    }

    private static int openOrExplain(LibC libC, Path path, FileOptions options, int extraFlags) throws IOException {
        int flags = LibC.O_CLOEXEC
                | (options.readOnly() ? LibC.O_RDONLY : LibC.O_RDWR)
                | (options.direct() ? LibC.directFlag() : 0)
                | extraFlags;
        int fd = libC.open(path.toString(), flags, NEW_FILE_MODE);
        if (fd < 0) {
            throw new IOException(explain(LibC.errno(), path, options, libC));
        }
        return fd;
    }

    private static String explain(int errno, Path path, FileOptions options, LibC libC) {
        String access = options.readOnly() ? "for reading" : "for reading and writing";
        return switch (errno) {
            case Errno.EACCES, Errno.EPERM ->
                path + " may not be opened " + access
                        + ": change its permissions or run as a user who may"
                        + (options.readOnly() ? "" : ", or ask for read-only");
            case Errno.EROFS -> path + " lies on a read-only file system: ask for read-only or use another place";
            case Errno.EBUSY -> path + " is mounted or otherwise in use: release it first";
            case Errno.ENOENT -> path + " cannot be created: make its directory first";
            case Errno.ENOTDIR -> path + " cannot be created: a part of its path is no directory, name another";
            case Errno.EEXIST -> path + " appeared while it was being created, or is a link to nothing: try again";
            case Errno.ENXIO, Errno.ENODEV -> path + " has no device behind it: name another disk";
            case Errno.EINVAL ->
                path + " cannot be opened"
                        + (options.direct() ? ": its file system knows no direct I/O, leave that out" : "");
            default -> path + " cannot be opened " + access + ": " + libC.strerror(errno);
        };
    }

    /**
     * An advisory lock, held until the descriptor is closed, also against a second opening by this process; readers
     * share.
     */
    private static void lock(LibC libC, int fd, Path path, FileOptions options) throws IOException {
        int mode = options.readOnly() ? LibC.LOCK_SH : LibC.LOCK_EX;
        if (libC.flock(fd, mode | LibC.LOCK_NB) == 0) {
            return;
        }
        if (LibC.errno() == Errno.EAGAIN) {
            throw new IOException(path + " is in use by another target or namespace: stop that one first");
        }
        throw new IOException(path + " cannot be locked: " + reason(libC));
    }

    private static long usableSize(LibC libC, int fd, Path path, FileOptions options) throws IOException {
        long size = libC.lseek(fd, 0, LibC.SEEK_END);
        if (size < 0) {
            throw new IOException("The length of " + path + " cannot be told: " + reason(libC));
        }
        if (options.sizeBytes() != 0 && options.sizeBytes() != size) {
            throw new IOException(path + " is " + size + " bytes long, not the " + options.sizeBytes()
                    + " asked for: leave the size out to use it as it is, or name another file");
        }
        int unit = options.sizeUnitBytes();
        if (size < unit) {
            throw new IOException(
                    path + " is too short, " + size + " bytes: it must hold at least one block of " + unit + " bytes");
        }
        if (size % unit != 0) {
            LOG.warn("The last {} bytes of {} do not make a block of {} and are not used", size % unit, path, unit);
        }
        return size - size % unit;
    }

    private static String reason(LibC libC) {
        return libC.strerror(LibC.errno());
    }
}
