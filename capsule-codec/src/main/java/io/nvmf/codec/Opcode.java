package io.nvmf.codec;

/**
 * Opcodes (NVMe Base 2.0 s5 and s7, NVM Command Set 1.0 s3.2, NVMe Key Value Command Set 1.0 s3.2). Bits 1:0 tell the data
 * direction: 0 none, 1 host to controller, 2 controller to host, 3 both.
 */
public final class Opcode {
    private Opcode() {}

    /** Fabrics commands, on admin and I/O queues. See {@link io.nvmf.codec.fabrics.FabricsType}. */
    public static final int FABRICS = 0x7F;

    /** Opcodes of the admin queue. Those that create and delete queues do not exist for fabrics. */
    public static final class Admin {
        private Admin() {}

        public static final int DELETE_IO_SUBMISSION_QUEUE = 0x00;
        public static final int CREATE_IO_SUBMISSION_QUEUE = 0x01;
        public static final int GET_LOG_PAGE = 0x02;
        public static final int DELETE_IO_COMPLETION_QUEUE = 0x04;
        public static final int CREATE_IO_COMPLETION_QUEUE = 0x05;
        public static final int IDENTIFY = 0x06;
        public static final int ABORT = 0x08;
        public static final int SET_FEATURES = 0x09;
        public static final int GET_FEATURES = 0x0A;
        public static final int ASYNC_EVENT_REQUEST = 0x0C;
        public static final int NAMESPACE_MANAGEMENT = 0x0D;
        public static final int FIRMWARE_COMMIT = 0x10;
        public static final int FIRMWARE_IMAGE_DOWNLOAD = 0x11;
        public static final int DEVICE_SELF_TEST = 0x14;
        public static final int NAMESPACE_ATTACHMENT = 0x15;
        public static final int KEEP_ALIVE = 0x18;
        public static final int DIRECTIVE_SEND = 0x19;
        public static final int DIRECTIVE_RECEIVE = 0x1A;
        public static final int DISCOVERY_INFORMATION_MANAGEMENT = 0x21;
        public static final int LOCKDOWN = 0x24;
        public static final int FORMAT_NVM = 0x80;
        public static final int SECURITY_SEND = 0x81;
        public static final int SECURITY_RECEIVE = 0x82;
        public static final int SANITIZE = 0x84;
        public static final int GET_LBA_STATUS = 0x86;
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
        public static final int RESERVATION_REGISTER = 0x0D;
        public static final int RESERVATION_REPORT = 0x0E;
        public static final int RESERVATION_ACQUIRE = 0x11;
        public static final int RESERVATION_RELEASE = 0x15;
        public static final int COPY = 0x19;
    }

    /** Opcodes of I/O queues, Key Value command set. */
    public static final class KeyValue {
        private KeyValue() {}

        public static final int STORE = 0x01;
        public static final int RETRIEVE = 0x02;
        public static final int LIST = 0x06;
        public static final int DELETE = 0x10;
        public static final int EXIST = 0x14;
    }
}
