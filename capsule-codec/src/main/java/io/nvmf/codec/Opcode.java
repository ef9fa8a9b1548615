package io.nvmf.codec;

/** Opcodes (NVMe Base 2.0 figures 138 and 390, NVM Command Set 1.0 s3.2). Bits 1:0 tell the data direction. */
public final class Opcode {
    private Opcode() {}

    /** Fabrics commands, on admin and I/O queues. See {@link io.nvmf.codec.fabrics.FabricsType}. */
    public static final int FABRICS = 0x7F;

    /** Opcodes of the admin queue. */
    public static final class Admin {
        private Admin() {}

        public static final int GET_LOG_PAGE = 0x02;
        public static final int IDENTIFY = 0x06;
        public static final int ABORT = 0x08;
        public static final int SET_FEATURES = 0x09;
        public static final int GET_FEATURES = 0x0A;
        public static final int ASYNC_EVENT_REQUEST = 0x0C;
        public static final int KEEP_ALIVE = 0x18;
    }

    /** Opcodes of I/O queues, NVM command set. */
    public static final class Nvm {
        private Nvm() {}

        public static final int FLUSH = 0x00;
        public static final int WRITE = 0x01;
        public static final int READ = 0x02;
        public static final int WRITE_UNCORRECTABLE = 0x04;
        public static final int COMPARE = 0x05;
        public static final int WRITE_ZEROES = 0x08;
        public static final int DATASET_MANAGEMENT = 0x09;
        public static final int VERIFY = 0x0C;
        public static final int COPY = 0x19;
    }
}
