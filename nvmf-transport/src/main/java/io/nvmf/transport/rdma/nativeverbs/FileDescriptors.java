package io.nvmf.transport.rdma.nativeverbs;

import io.nvmf.transport.rdma.RdmaException;

/** fcntl.h. */
final class FileDescriptors {
    private static final int F_GETFL = 3;
    private static final int F_SETFL = 4;
    private static final int O_NONBLOCK = 0x800;

    private FileDescriptors() {}

    static void setNonBlocking(RdmaLibrary library, int fd) throws RdmaException {
        int flags = library.fcntl(fd, F_GETFL, 0);
        if (flags < 0 || library.fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) {
            throw Errors.last("not waiting for events");
        }
    }
}
