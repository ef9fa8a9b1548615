package io.nvmf.target.backend.file;

import java.io.IOException;
import java.util.Map;
import jnr.ffi.LibraryLoader;
import jnr.ffi.Runtime;
import jnr.ffi.annotations.Encoding;

/**
 * The Linux system calls that Java has no door to: the numbers are those of x86-64 and aarch64, where {@code long},
 * {@code size_t}, {@code off_t} and a pointer are all 64 bits. A call that fails returns -1 and leaves the reason in
 * {@link #errno()}. Public because jnr-ffi implements it.
 */
@Encoding("UTF-8")
public interface LibC {
    int O_RDONLY = 0;
    int O_RDWR = 2;
    int O_CREAT = 0x40;
    int O_EXCL = 0x80;
    int O_CLOEXEC = 0x80000;

    int LOCK_SH = 1;
    int LOCK_EX = 2;
    int LOCK_NB = 4;

    int SEEK_END = 2;

    int FALLOC_FL_KEEP_SIZE = 1;
    int FALLOC_FL_PUNCH_HOLE = 2;
    int FALLOC_FL_ZERO_RANGE = 0x10;

    /** {@code open(2)}; the mode is used with {@link #O_CREAT}. */
    int open(String path, int flags, int mode);

    int close(int fd);

    int flock(int fd, int operation);

    long lseek(int fd, long offset, int whence);

    int ftruncate(int fd, long lengthBytes);

    int fallocate(int fd, int mode, long offsetBytes, long lengthBytes);

    int fdatasync(int fd);

    long pread(int fd, long address, long lengthBytes, long offsetBytes);

    long pwrite(int fd, long address, long lengthBytes, long offsetBytes);

    String strerror(int errno);

    /** The reason why this thread's last call failed. */
    static int errno() {
        return Runtime.getSystemRuntime().getLastError();
    }

    /** The flag differs between machines. */
    static int directFlag() {
        return Loaded.DIRECT_FLAG.get(Loaded.ARCHITECTURE);
    }

    /**
     * The system's C library.
     *
     * @throws IOException if this is not Linux on x86-64 or aarch64, or native code cannot be loaded
     */
    static LibC get() throws IOException {
        if (Loaded.LIBRARY == null) {
            throw new IOException("Files need Linux on x86-64 or aarch64 and a loadable libjffi: " + Loaded.FAILURE);
        }
        return Loaded.LIBRARY;
    }

    /** Loaded once, when first asked for. */
    final class Loaded {
        private static final Map<String, Integer> DIRECT_FLAG = Map.of("amd64", 0x4000, "aarch64", 0x10000);
        private static final String ARCHITECTURE = System.getProperty("os.arch");
        private static final LibC LIBRARY;
        private static final String FAILURE;

        static {
            LibC library = null;
            String failure = System.getProperty("os.name") + " on " + ARCHITECTURE;
            if ("Linux".equals(System.getProperty("os.name")) && DIRECT_FLAG.containsKey(ARCHITECTURE)) {
                try {
                    library = LibraryLoader.create(LibC.class).failImmediately().load("c");
                } catch (UnsatisfiedLinkError | RuntimeException e) {
                    failure = e.toString();
                }
            }
            LIBRARY = library;
            FAILURE = failure;
        }

        private Loaded() {}
    }
}
