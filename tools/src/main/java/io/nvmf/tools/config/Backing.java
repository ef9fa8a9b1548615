package io.nvmf.tools.config;

import io.nvmf.target.backend.BlockDevice;
import io.nvmf.target.backend.file.FileBlockDevice;
import io.nvmf.target.backend.file.FileOptions;
import io.nvmf.target.backend.memory.MemoryBlockDevice;
import io.nvmf.target.state.StateFile;
import io.nvmf.tools.CommandException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/** What a namespace keeps its blocks in, before it is opened. */
public sealed interface Backing {
    /** Opens, or creates, the device. Blocks. */
    BlockDevice open() throws IOException;

    /** As {@link NamespaceFlag} takes it, with all that the device has of its own. */
    String flag();

    /**
     * Opens the file that keeps what hosts set of a namespace in this storage when nobody says where, or null when there is
     * none.
     */
    StateFile openStateFile(UUID namespace) throws IOException;

    /** Names the same storage over restarts, so that identifiers can be derived from it. */
    String identity();

    /** Bytes of a block when nobody says: what the Linux target would take for the same storage. */
    int defaultBlockSizeBytes();

    /**
     * What a device that is open keeps its blocks in, as it is now.
     *
     * @throws CommandException when that is none of these
     */
    static Backing of(BlockDevice device) throws CommandException {
        if (device instanceof FileBlockDevice file) {
            return new InFile(file.path(), file.options().withSizeBytes(0));
        }
        if (device instanceof MemoryBlockDevice memory) {
            return new InMemory(memory.sizeBytes());
        }
        throw new CommandException(device.description() + " cannot be named in a configuration");
    }

    /**
     * A file or a disk of the machine.
     *
     * @param options with a size, a missing file is created
     */
    record InFile(Path path, FileOptions options) implements Backing {
        private static final int FILE_BLOCK_BYTES = 4096;

        @Override
        public BlockDevice open() throws IOException {
            return FileBlockDevice.open(path, options);
        }

        @Override
        public StateFile openStateFile(UUID namespace) throws IOException {
            return StateFile.openBeside(path, options.readOnly(), namespace);
        }

        @Override
        public String flag() {
            return "file:" + path + (options.direct() ? ",direct" : "") + (options.readOnly() ? ",read-only" : "");
        }

        @Override
        public String identity() {
            return path.toAbsolutePath().normalize().toString();
        }

        @Override
        public int defaultBlockSizeBytes() {
            boolean isDisk = Files.exists(path) && !Files.isRegularFile(path);
            return isDisk && !options.direct() ? diskBlockBytes() : FILE_BLOCK_BYTES;
        }

        /** A partition has no queue directory of its own; its disk, one level up, has. */
        private int diskBlockBytes() {
            try {
                Path device = Path.of("/sys/class/block")
                        .resolve(path.toRealPath().getFileName())
                        .toRealPath();
                Path own = device.resolve("queue/logical_block_size");
                Path disk = device.resolveSibling("queue/logical_block_size");
                return Integer.parseInt(
                        Files.readString(Files.exists(own) ? own : disk).strip());
            } catch (IOException | UncheckedIOException | NumberFormatException e) {
                return FILE_BLOCK_BYTES;
            }
        }
    }

    /** The heap of this process; lost when it ends. */
    record InMemory(long sizeBytes) implements Backing {
        @Override
        public BlockDevice open() {
            return new MemoryBlockDevice(sizeBytes);
        }

        @Override
        public StateFile openStateFile(UUID namespace) {
            return null;
        }

        @Override
        public String flag() {
            return "memory:" + sizeBytes;
        }

        @Override
        public String identity() {
            return "memory";
        }

        @Override
        public int defaultBlockSizeBytes() {
            return 4096;
        }
    }
}
