package io.nvmf.codec.log;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.NumberField;
import io.nvmf.codec.Structure;
import java.nio.ByteBuffer;

/** An entry of the Discovery log, LID 70h (NVMe Base 2.0 s5.16.1.23). Numbers are in the table {@link Field}; beside them:
 *
 * <pre>
 *  32-63 TRSVCID, ASCII   256-511 SUBNQN, UTF-8, NUL terminated   512-767 TRADDR, ASCII   768-1023 TSAS
 * </pre>
 *
 * Peers pad the ASCII fields with NULs or with spaces: both are dropped when read; they are written with spaces. */
public final class DiscoveryLogEntry extends Structure<DiscoveryLogEntry.Field> {
    public static final int BYTES = 1024;

    /** The numbers, in the order of their bytes. */
    public enum Field implements NumberField {
        /** See {@code TRTYPE_} constants. */
        TRTYPE(0, 1),
        /** See {@code ADRFAM_} constants. */
        ADRFAM(1, 1),
        /** See {@code SUBTYPE_} constants. */
        SUBTYPE(2, 1),
        /** 1:0 see {@code TREQ_} constants; bit 2 disabling of SQ flow control supported. */
        TREQ(3, 1),
        PORTID(4, 2),
        /** {@link #CNTLID_DYNAMIC}, {@link #CNTLID_STATIC}, or a given controller. */
        CNTLID(6, 2),
        /** Largest admin queue, entries, at least 32. */
        ASQSZ(8, 2),
        /** Bit 0 duplicate information, see {@code EFLAGS_} constants, 2 no connectivity to a central controller. */
        EFLAGS(10, 2),
        /** TSAS of TCP: 0 none, 1 TLS 1.2, 2 TLS 1.3. */
        TCP_SECTYPE(768, 1),
        /** TSAS of RDMA: see {@code RDMA_QPTYPE_} constants. */
        RDMA_QPTYPE(768, 1),
        /** TSAS of RDMA: see {@code RDMA_PRTYPE_} constants. */
        RDMA_PRTYPE(769, 1),
        /** TSAS of RDMA: {@link #RDMA_CMS_RDMA_CM}. */
        RDMA_CMS(770, 1),
        /** TSAS of RDMA: the partition key, for InfiniBand addresses. */
        RDMA_PKEY(776, 2);

        private final int offset;
        private final int lengthBytes;

        Field(int offset, int lengthBytes) {
            this.offset = offset;
            this.lengthBytes = lengthBytes;
        }

        @Override
        public int offset() {
            return offset;
        }

        @Override
        public int lengthBytes() {
            return lengthBytes;
        }
    }

    private DiscoveryLogEntry() {
        super(BYTES);
    }

    private DiscoveryLogEntry(ByteBuffer source, int offset) {
        super(source, offset, BYTES);
    }

    /** Data with every byte zero. */
    public static DiscoveryLogEntry allocate() {
        return new DiscoveryLogEntry();
    }

    /** A copy of 1024 received bytes; {@link IllegalArgumentException} when there are fewer. */
    public static DiscoveryLogEntry decode(ByteBuffer source, int offset) {
        return new DiscoveryLogEntry(source, offset);
    }

    // Values of TRTYPE.
    public static final int TRTYPE_RDMA = 1;
    public static final int TRTYPE_FC = 2;
    public static final int TRTYPE_TCP = 3;
    public static final int TRTYPE_LOOP = 0xFE;

    // Values of ADRFAM.
    public static final int ADRFAM_IPV4 = 1;
    public static final int ADRFAM_IPV6 = 2;
    public static final int ADRFAM_IB = 3;
    public static final int ADRFAM_FC = 4;
    public static final int ADRFAM_LOOP = 0xFE;

    // Values of SUBTYPE.
    /** A referral to another discovery subsystem. */
    public static final int SUBTYPE_REFERRAL = 1;

    public static final int SUBTYPE_NVM = 2;
    /** The discovery subsystem that answers. */
    public static final int SUBTYPE_CURRENT_DISCOVERY = 3;

    // Values of TREQ bits 1:0, a secure channel.
    public static final int TREQ_NOT_SPECIFIED = 0;
    public static final int TREQ_REQUIRED = 1;
    public static final int TREQ_NOT_REQUIRED = 2;
    // Bit of TREQ.
    public static final int TREQ_DISABLE_SQ_FLOW_CONTROL = 1 << 2;
    // Bit of EFLAGS.
    /** A host may keep its connection to a discovery subsystem, with a keep alive, to hear of changes. */
    public static final int EFLAGS_EXPLICIT_PERSISTENT_CONNECTIONS = 1 << 1;
    // Values of CNTLID.
    /** Dynamic controller model. */
    public static final int CNTLID_DYNAMIC = 0xFFFF;
    /** Static controller model, any controller. */
    public static final int CNTLID_STATIC = 0xFFFE;

    // Values of RDMA_QPTYPE.
    /** Reliable connected. */
    public static final int RDMA_QPTYPE_CONNECTED = 1;

    public static final int RDMA_QPTYPE_DATAGRAM = 2;

    // Values of RDMA_PRTYPE.
    public static final int RDMA_PRTYPE_NOT_SPECIFIED = 1;
    public static final int RDMA_PRTYPE_INFINIBAND = 2;
    public static final int RDMA_PRTYPE_ROCE = 3;
    public static final int RDMA_PRTYPE_ROCE_V2 = 4;
    public static final int RDMA_PRTYPE_IWARP = 5;

    /** Value of RDMA_CMS: IP addresses, through the RDMA communication manager. */
    public static final int RDMA_CMS_RDMA_CM = 1;

    private static final int SERVICE_ID_OFFSET = 32;
    private static final int SERVICE_ID_BYTES = 32;
    private static final int SUBSYSTEM_NQN_OFFSET = 256;
    private static final int SUBSYSTEM_NQN_BYTES = 256;
    private static final int TRANSPORT_ADDRESS_OFFSET = 512;
    private static final int TRANSPORT_ADDRESS_BYTES = 256;

    /** TRSVCID: for IP a decimal port number. */
    public String serviceId() {
        return Bytes.getAscii(buffer(), SERVICE_ID_OFFSET, SERVICE_ID_BYTES);
    }

    /** At most 32 ASCII characters; the rest is cut. */
    public void serviceId(String serviceId) {
        Bytes.putAscii(buffer(), SERVICE_ID_OFFSET, SERVICE_ID_BYTES, serviceId, ' ');
    }

    /** SUBNQN. */
    public String subsystemNqn() {
        return Bytes.getUtf8(buffer(), SUBSYSTEM_NQN_OFFSET, SUBSYSTEM_NQN_BYTES)
                .stripTrailing();
    }

    /** At most 255 bytes of UTF-8, else {@link IllegalArgumentException}. */
    public void subsystemNqn(String nqn) {
        Bytes.putUtf8(buffer(), SUBSYSTEM_NQN_OFFSET, SUBSYSTEM_NQN_BYTES, nqn);
    }

    /** TRADDR: for IP an address. */
    public String transportAddress() {
        return Bytes.getAscii(buffer(), TRANSPORT_ADDRESS_OFFSET, TRANSPORT_ADDRESS_BYTES);
    }

    /** At most 256 ASCII characters; the rest is cut. */
    public void transportAddress(String address) {
        Bytes.putAscii(buffer(), TRANSPORT_ADDRESS_OFFSET, TRANSPORT_ADDRESS_BYTES, address, ' ');
    }
}
