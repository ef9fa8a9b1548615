package io.nvmf.target.reservation;

import io.nvmf.target.reservation.ReservationText.Content;
import io.nvmf.target.reservation.ReservationText.DamagedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.UUID;

/**
 * Where the registrants and the reservation of a namespace outlive the target: one small file, which is replaced as a whole.
 * It blocks; not thread safe.
 */
public final class ReservationFile {
    private static final int MAX_BYTES = 1 << 20;

    private final Path path;
    private final UUID namespace;
    private ReservationState saved;

    private ReservationFile(Path path, UUID namespace, ReservationState saved) {
        this.path = path;
        this.namespace = namespace;
        this.saved = saved;
    }

    /**
     * Reads the file, or makes one in which nobody has registered.
     *
     * @param namespace whose it is: another's is refused
     * @throws IOException when it cannot be read or made, or is not what was written; the message is one sentence for the
     *     person who runs the target
     */
    public static ReservationFile open(Path path, UUID namespace) throws IOException {
        Path absolute = path.toAbsolutePath();
        try {
            byte[] bytes = read(absolute);
            if (bytes == null) {
                ReservationFile file = new ReservationFile(absolute, namespace, ReservationState.NONE);
                file.save(ReservationState.NONE);
                return file;
            }
            Content content = ReservationText.decode(bytes);
            if (!content.namespace().equals(namespace)) {
                throw new IOException(path + " keeps the reservations of namespace " + content.namespace() + ", not of "
                        + namespace + ": name another file");
            }
            return new ReservationFile(absolute, namespace, content.state());
        } catch (DamagedException e) {
            throw new IOException(
                    path + " is damaged, " + e.getMessage()
                            + ": remove it if the hosts shall register and reserve anew",
                    e);
        } catch (FileSystemException e) {
            throw new IOException("cannot keep reservations in " + path + ": " + reason(e), e);
        }
    }

    private static String reason(FileSystemException e) {
        if (e instanceof NoSuchFileException) {
            return "there is no such directory";
        }
        return e instanceof AccessDeniedException ? "permission denied" : e.getMessage();
    }

    /** The bytes, or null when there is no file. */
    private static byte[] read(Path path) throws IOException, DamagedException {
        try {
            if (Files.size(path) > MAX_BYTES) {
                throw new DamagedException("it has " + Files.size(path) + " bytes");
            }
            return Files.readAllBytes(path);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    public Path path() {
        return path;
    }

    /** What is in the file. */
    ReservationState saved() {
        return saved;
    }

    /** Replaces what is in the file. When this returns, the new state survives a loss of power. */
    void save(ReservationState state) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(ReservationText.encode(new Content(namespace, state)));
        Path next = path.resolveSibling(path.getFileName() + ".new");
        Files.deleteIfExists(next);
        Set<StandardOpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (FileChannel channel = FileChannel.open(
                next, options, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(next, path, StandardCopyOption.ATOMIC_MOVE);
        try (FileChannel directory = FileChannel.open(path.getParent(), StandardOpenOption.READ)) {
            directory.force(true);
        }
        saved = state;
    }
}
