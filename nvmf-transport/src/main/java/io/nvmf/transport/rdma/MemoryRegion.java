package io.nvmf.transport.rdma;

/** Memory that a device may use (ibv_mr). Thread safe. */
public interface MemoryRegion extends AutoCloseable {
    /** Of its first byte, for work requests and for the peer. */
    long address();

    long lengthBytes();

    /** For this end's work requests (lkey). */
    int localKey();

    /** For the peer (rkey). */
    int remoteKey();

    /** Ends the device's use of the memory. No work that names it may be posted. May be called again. */
    @Override
    void close();
}
