package io.nvmf.tools.nbd;

/** Numbers of the NBD protocol (the network block device protocol, proto.md). All are big endian. */
final class Nbd {
    private Nbd() {}

    // ---- Negotiation

    static final long MAGIC = 0x4E42444D41474943L;
    static final long OPTION_MAGIC = 0x49484156454F5054L;
    static final long OPTION_REPLY_MAGIC = 0x0003E889045565A9L;

    /** Handshake flags of both ends. */
    static final int FIXED_NEWSTYLE = 1;

    static final int NO_ZEROES = 1 << 1;

    static final int OPTION_EXPORT_NAME = 1;
    static final int OPTION_ABORT = 2;
    static final int OPTION_LIST = 3;
    static final int OPTION_INFO = 6;
    static final int OPTION_GO = 7;
    static final int OPTION_STRUCTURED_REPLY = 8;

    static final int REPLY_ACK = 1;
    static final int REPLY_SERVER = 2;
    static final int REPLY_INFO = 3;
    static final int REPLY_UNSUPPORTED = 0x8000_0001;
    static final int REPLY_INVALID = 0x8000_0003;
    static final int REPLY_UNKNOWN = 0x8000_0006;

    static final int INFO_EXPORT = 0;
    static final int INFO_NAME = 1;
    static final int INFO_DESCRIPTION = 2;
    static final int INFO_BLOCK_SIZE = 3;

    // ---- Transmission flags

    static final int HAS_FLAGS = 1;
    static final int READ_ONLY = 1 << 1;
    static final int SEND_FLUSH = 1 << 2;
    static final int SEND_FUA = 1 << 3;
    static final int SEND_TRIM = 1 << 5;
    static final int SEND_WRITE_ZEROES = 1 << 6;
    static final int SEND_DF = 1 << 7;
    static final int CAN_MULTI_CONN = 1 << 8;

    // ---- Requests

    static final int REQUEST_MAGIC = 0x25609513;
    static final int REQUEST_BYTES = 28;

    static final int COMMAND_READ = 0;
    static final int COMMAND_WRITE = 1;
    static final int COMMAND_DISCONNECT = 2;
    static final int COMMAND_FLUSH = 3;
    static final int COMMAND_TRIM = 4;
    static final int COMMAND_WRITE_ZEROES = 6;

    static final int FLAG_FUA = 1;
    static final int FLAG_NO_HOLE = 1 << 1;
    static final int FLAG_DF = 1 << 2;

    // ---- Replies

    static final int SIMPLE_REPLY_MAGIC = 0x67446698;
    static final int STRUCTURED_REPLY_MAGIC = 0x668E33EF;

    static final int REPLY_FLAG_DONE = 1;
    static final int CHUNK_NONE = 0;
    static final int CHUNK_OFFSET_DATA = 1;
    static final int CHUNK_ERROR = 0x8001;

    static final int EPERM = 1;
    static final int EIO = 5;
    static final int ENOMEM = 12;
    static final int EINVAL = 22;
    static final int ENOSPC = 28;
    static final int ENOTSUP = 95;
    static final int ESHUTDOWN = 108;
}
