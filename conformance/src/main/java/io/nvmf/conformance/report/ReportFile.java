package io.nvmf.conformance.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * A file that is there whole or not at all: written beside its place and moved there. What is no regular file, a pipe or
 * {@code /dev/stdout}, is written where it is.
 */
public final class ReportFile {
    private final Path path;
    private final boolean isMoved;

    private ReportFile(Path path, boolean isMoved) {
        this.path = path;
        this.isMoved = isMoved;
    }

    /**
     * A file that can be written, as was tried; what is there stays as it is.
     *
     * @throws IOException when it cannot; one that names the file
     */
    public static ReportFile at(Path path) throws IOException {
        if (Files.isDirectory(path)) {
            throw new FileSystemException(path.toString(), null, "is a directory");
        }
        if (Files.exists(path) && !Files.isRegularFile(path)) {
            if (!Files.isWritable(path)) {
                throw new FileSystemException(path.toString(), null, "cannot be written");
            }
            return new ReportFile(path, false);
        }
        // A link stays a link: the file that it leads to is the one that is replaced.
        Path file = Files.exists(path, LinkOption.NOFOLLOW_LINKS) ? path.toRealPath() : path.toAbsolutePath();
        ReportFile made = new ReportFile(file, true);
        try {
            Path beside = made.beside();
            Files.newOutputStream(beside, StandardOpenOption.CREATE_NEW).close();
            Files.delete(beside);
        } catch (NoSuchFileException e) {
            throw new FileSystemException(path.toString(), null, "its directory does not exist");
        } catch (AccessDeniedException e) {
            throw new AccessDeniedException(path.toString());
        } catch (FileSystemException e) {
            throw new FileSystemException(path.toString(), null, e.getReason());
        }
        return made;
    }

    /** The file that is written, the one a link leads to. */
    public Path path() {
        return path;
    }

    /** Writes all of it, as UTF-8. */
    public void write(String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (!isMoved) {
            Files.write(path, bytes);
            return;
        }
        Path beside = beside();
        try {
            Files.write(beside, bytes, StandardOpenOption.CREATE_NEW);
            Files.move(beside, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(beside);
        }
    }

    private Path beside() {
        return path.resolveSibling(
                "." + path.getFileName() + "." + ProcessHandle.current().pid() + ".part");
    }
}
