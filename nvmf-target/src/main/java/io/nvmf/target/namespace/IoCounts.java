package io.nvmf.target.namespace;

/**
 * What hosts have read and written, as the SMART / Health Information log counts it (NVMe Base 2.0 s5.16.1.3, NVM Command Set
 * 1.0 s4.1.4): Compare and Read are read commands, Write is a write command; Compare, Read and Verify read bytes, Write writes
 * them.
 *
 * @param mediaErrors commands that found blocks which could not be read or written
 */
public record IoCounts(long readCommands, long readBytes, long writeCommands, long writtenBytes, long mediaErrors) {
    public static final IoCounts NONE = new IoCounts(0, 0, 0, 0, 0);

    public IoCounts plus(IoCounts other) {
        return new IoCounts(
                readCommands + other.readCommands,
                readBytes + other.readBytes,
                writeCommands + other.writeCommands,
                writtenBytes + other.writtenBytes,
                mediaErrors + other.mediaErrors);
    }
}
