package io.nvmf.target.backend.file;

import io.nvmf.target.backend.BlockDevice;
import io.nvmf.target.backend.BlockDeviceContractTest;
import io.nvmf.transport.EventLoops;
import io.nvmf.transport.EventLoops.Kind;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** The contract, kept by a file on every kind of event loop, with and without the page cache and fallocate. */
class FileContractTest {
    abstract static class OnFile extends BlockDeviceContractTest {
        private final boolean direct;

        @TempDir
        Path directory;

        OnFile(EventLoops.Kind loopKind, boolean direct) {
            super(loopKind);
            this.direct = direct;
        }

        @Override
        protected BlockDevice openDevice() throws IOException {
            FileOptions options = FileOptions.EXISTING.withSizeBytes(SIZE_BYTES).withDirect(direct);
            try {
                return FileBlockDevice.open(directory.resolve("image"), options);
            } catch (IOException e) {
                Assumptions.assumeFalse(e.getMessage().contains("direct I/O"), e.getMessage());
                throw e;
            }
        }
    }

    @Nested
    class OnIoUring extends OnFile {
        OnIoUring() {
            super(Kind.IO_URING, false);
        }
    }

    @Nested
    class OnEpoll extends OnFile {
        OnEpoll() {
            super(Kind.EPOLL, false);
        }
    }

    @Nested
    class OnNio extends OnFile {
        OnNio() {
            super(Kind.NIO, false);
        }
    }

    @Nested
    class DirectOnIoUring extends OnFile {
        DirectOnIoUring() {
            super(Kind.IO_URING, true);
        }
    }

    @Nested
    class DirectOnNio extends OnFile {
        DirectOnNio() {
            super(Kind.NIO, true);
        }
    }

    @Nested
    class WithoutFallocateOnIoUring extends WithoutFallocate {
        WithoutFallocateOnIoUring() {
            super(Kind.IO_URING, false);
        }
    }

    @Nested
    class WithoutFallocateOnNio extends WithoutFallocate {
        WithoutFallocateOnNio() {
            super(Kind.NIO, true);
        }
    }

    abstract static class WithoutFallocate extends OnFile {
        WithoutFallocate(Kind loopKind, boolean direct) {
            super(loopKind, direct);
        }

        @Override
        protected BlockDevice openDevice() throws IOException {
            FileBlockDevice device = (FileBlockDevice) super.openDevice();
            device.doWithout(FileCall.PUNCH_HOLE);
            device.doWithout(FileCall.ZERO_RANGE);
            return device;
        }
    }
}
