package io.nvmf.target.state;

import io.nvmf.target.state.StateText.Content;
import io.nvmf.target.state.StateText.DamagedException;
import io.nvmf.target.state.StateText.ForeignException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Where the {@link NamespaceState} of a namespace outlives the target: one small file, which is replaced as a whole, and is
 * there only while there is something to keep. No two of one process are in the same place, and what another process has put
 * there is not replaced. It blocks; not thread safe, but for {@link #open} and {@link #close}.
 */
public final class StateFile implements AutoCloseable {
    /** What an image's name is followed by in the name of the file beside it. */
    public static final String SUFFIX = ".nvmf-state";

    private static final int MAX_BYTES = 1 << 20;
    private static final Set<Path> IN_USE = ConcurrentHashMap.newKeySet();

    private final Path path;
    private final Path place;
    private final UUID namespace;
    private NamespaceState saved;
    /** The file as this process left it, null when there is none. */
    private Left left;

    /** What tells a file from one that another process has put in its place. */
    private record Left(Object inode, FileTime modified, long lengthBytes) {
        /** Null when there is none. */
        static Left at(Path place) throws IOException {
            if (!Files.exists(place, LinkOption.NOFOLLOW_LINKS)) {
                return null;
            }
            BasicFileAttributes attributes =
                    Files.readAttributes(place, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return new Left(attributes.fileKey(), attributes.lastModifiedTime(), attributes.size());
        }
    }

    private StateFile(Path path, Path place, UUID namespace) throws IOException, DamagedException, ForeignException {
        this.path = path;
        this.place = place;
        this.namespace = namespace;
        this.left = Left.at(place);
        this.saved = left != null ? read() : NamespaceState.NONE;
    }

    /**
     * Reads the file, if it is there.
     *
     * @param namespace whose it is: another's is refused
     * @throws IOException when it cannot be read or kept up to date, is not what was written, or is in use; the message is
     *     one sentence for the person who runs the target
     */
    public static StateFile open(Path path, UUID namespace) throws IOException {
        Path place = null;
        boolean opened = false;
        try {
            place = place(path);
            if (!IN_USE.add(place)) {
                place = null;
                throw new IOException(path + " keeps the state of another namespace already: name another file");
            }
            StateFile file = new StateFile(path.toAbsolutePath(), place, namespace);
            if (file.left == null && !file.canSave()) {
                throw new AccessDeniedException(place.toString());
            }
            opened = true;
            return file;
        } catch (ForeignException e) {
            throw new IOException(path + " " + e.getMessage() + ": name another file", e);
        } catch (DamagedException e) {
            throw new IOException(
                    path + " is damaged, " + e.getMessage()
                            + ": remove it if what hosts have reserved, protected and marked shall be forgotten",
                    e);
        } catch (FileSystemException e) {
            throw new IOException("cannot keep the state of a namespace in " + path + ": " + reason(e), e);
        } finally {
            if (!opened && place != null) {
                IN_USE.remove(place);
            }
        }
    }

    /**
     * As {@link #open}, the file beside an image. There is none, and null, where it would not last or could not be made: beside
     * a disk, in a directory that may not be written, or where an image is only read; one that is there is used.
     */
    public static StateFile openBeside(Path image, boolean readOnly, UUID namespace) throws IOException {
        Path path = beside(image);
        boolean canBeMade = !readOnly && Files.isRegularFile(image) && Files.isWritable(path.getParent());
        return canBeMade || Files.exists(path) ? open(path, namespace) : null;
    }

    /** The name of the file beside an image, however that is reached. */
    public static Path beside(Path image) {
        Path place;
        try {
            place = place(image);
        } catch (IOException e) {
            place = image.toAbsolutePath();
        }
        return place.resolveSibling(place.getFileName() + SUFFIX);
    }

    /** Where a file is or would be, whatever links lead there. */
    private static Path place(Path path) throws IOException {
        Path absolute = path.toAbsolutePath();
        return Files.exists(absolute, LinkOption.NOFOLLOW_LINKS)
                ? absolute.toRealPath()
                : absolute.getParent().toRealPath().resolve(absolute.getFileName());
    }

    private static String reason(FileSystemException e) {
        if (e instanceof NoSuchFileException) {
            return "there is no such directory";
        }
        return e instanceof AccessDeniedException ? "permission denied" : e.getMessage();
    }

    private NamespaceState read() throws IOException, DamagedException, ForeignException {
        if (!Files.isRegularFile(place)) {
            throw new ForeignException("is no regular file");
        }
        if (Files.size(place) > MAX_BYTES) {
            throw new ForeignException("has " + Files.size(place) + " bytes and keeps no state of a namespace");
        }
        Content content = StateText.decode(Files.readAllBytes(place));
        if (!content.namespace().equals(namespace)) {
            throw new IOException(path + " keeps the state of namespace " + content.namespace() + ", not of "
                    + namespace + ": give the namespace that UUID, or name another file");
        }
        return content.state();
    }

    /** As it was named, absolute. */
    public Path path() {
        return path;
    }

    /** Whether the file can be replaced, as far as can be told before. */
    public boolean canSave() {
        return Files.isWritable(place.getParent());
    }

    /** What is kept. */
    public NamespaceState saved() {
        return saved;
    }

    /** Replaces what is kept. When this returns, the new state survives a loss of power. */
    public void save(NamespaceState state) throws IOException {
        if (state.equals(saved)) {
            return;
        }
        requireAsLeft();
        if (state.equals(NamespaceState.NONE)) {
            if (Files.deleteIfExists(place)) {
                left = null;
            }
        } else {
            replace(StateText.encode(new Content(namespace, state)));
        }
        try (FileChannel directory = FileChannel.open(place.getParent(), StandardOpenOption.READ)) {
            directory.force(true);
        }
        saved = state;
    }

    /** Whatever is there instead, an image perhaps, or the state of another target: somebody else has put it there. */
    private void requireAsLeft() throws IOException {
        Left there = Left.at(place);
        if (there != null && !there.equals(left)) {
            throw new FileAlreadyExistsException(place.toString(), null, "is not what this target has left there");
        }
    }

    private void replace(byte[] bytes) throws IOException {
        // With a name that nobody has, and mode 0600.
        Path next = Files.createTempFile(place.getParent(), "." + place.getFileName(), ".new");
        try {
            try (FileChannel channel = FileChannel.open(next, StandardOpenOption.WRITE)) {
                ByteBuffer rest = ByteBuffer.wrap(bytes);
                while (rest.hasRemaining()) {
                    channel.write(rest);
                }
                channel.force(true);
            }
            Files.move(next, place, StandardCopyOption.ATOMIC_MOVE);
            left = Left.at(place);
        } finally {
            Files.deleteIfExists(next);
        }
    }

    /** Lets another namespace have the place. */
    @Override
    public void close() {
        IN_USE.remove(place);
    }
}
