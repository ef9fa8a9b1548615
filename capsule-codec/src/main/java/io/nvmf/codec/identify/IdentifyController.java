package io.nvmf.codec.identify;

import static io.nvmf.codec.identify.IdentifyController.Field.IOCCSZ;
import static io.nvmf.codec.identify.IdentifyController.Field.MDTS;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.NumberField;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Structure;
import java.nio.ByteBuffer;

/**
 * Identify Controller data, CNS 01h (NVMe Base 2.0 s5.17.2.1). Numbers are in the table {@link Field}; beside them:
 *
 * <pre>
 *    4-23    SN, ASCII, space padded          24-63   MN, ASCII, space padded
 *   64-71    FR, ASCII, space padded         112-127  FGUID
 *  768-1023  SUBNQN, UTF-8, NUL terminated  2048-3071 32 power states of 32 bytes
 * </pre>
 */
public final class IdentifyController extends Structure<IdentifyController.Field> {
    public static final int BYTES = 4096;

    private static final int SERIAL_NUMBER_OFFSET = 4;
    private static final int SERIAL_NUMBER_BYTES = 20;
    private static final int MODEL_NUMBER_OFFSET = 24;
    private static final int MODEL_NUMBER_BYTES = 40;
    private static final int FIRMWARE_REVISION_OFFSET = 64;
    private static final int FIRMWARE_REVISION_BYTES = 8;
    private static final int SUBSYSTEM_NQN_OFFSET = 768;
    private static final int SUBSYSTEM_NQN_BYTES = 256;
    private static final int POWER_STATES_OFFSET = 2048;
    private static final int POWER_STATE_BYTES = 32;

    /** The numbers, in the order of their bytes. */
    public enum Field implements NumberField {
        VID(0, 2),
        SSVID(2, 2),
        RAB(72, 1),
        /** IEEE OUI, the vendor's first three bytes of its addresses. */
        IEEE(73, 3),
        /** Bit 0 several ports, 1 several controllers, 2 SR-IOV, 3 ANA reporting. */
        CMIC(76, 1),
        /** Largest data of a command: 2^n memory pages of 2^(12 + CAP.MPSMIN) bytes; 0 = no limit. */
        MDTS(77, 1),
        /** Equals the controller id the Connect command was answered with. */
        CNTLID(78, 2),
        /** Equals the property VS. */
        VER(80, 4),
        /** Microseconds. */
        RTD3R(84, 4),
        /** Microseconds. */
        RTD3E(88, 4),
        /** Which events can be reported; the bits of {@link io.nvmf.codec.feature.AsyncEventConfig}. */
        OAES(92, 4),
        CTRATT(96, 4),
        RRLS(100, 2),
        /** 1 I/O, 2 discovery, 3 administrative controller. */
        CNTRLTYPE(111, 1),
        /** 100 ms units. */
        CRDT1(128, 2),
        CRDT2(130, 2),
        CRDT3(132, 2),
        CRCAP(134, 1),
        NVMSR(253, 1),
        VWCI(254, 1),
        MEC(255, 1),
        OACS(256, 2),
        /** Concurrent Abort commands, zero based. */
        ACL(258, 1),
        /** Outstanding asynchronous event requests, zero based. */
        AERL(259, 1),
        FRMW(260, 1),
        LPA(261, 1),
        /** Error log entries, zero based. */
        ELPE(262, 1),
        /** Power states, zero based. */
        NPSS(263, 1),
        AVSCC(264, 1),
        APSTA(265, 1),
        /** Kelvin. */
        WCTEMP(266, 2),
        /** Kelvin. */
        CCTEMP(268, 2),
        MTFA(270, 2),
        HMPRE(272, 4),
        HMMIN(276, 4),
        /** Bytes. */
        TNVMCAP(280, 16),
        /** Bytes. */
        UNVMCAP(296, 16),
        RPMBS(312, 4),
        EDSTT(316, 2),
        DSTO(318, 1),
        FWUG(319, 1),
        /** Keep alive granularity in 100 ms; 0 = no keep alive, which the Linux host refuses. */
        KAS(320, 2),
        HCTMA(322, 2),
        MNTMT(324, 2),
        MXTMT(326, 2),
        SANICAP(328, 4),
        HMMINDS(332, 4),
        HMMAXD(336, 2),
        NSETIDMAX(338, 2),
        ENDGIDMAX(340, 2),
        /** Seconds. */
        ANATT(342, 1),
        ANACAP(343, 1),
        ANAGRPMAX(344, 4),
        NANAGRPID(348, 4),
        PELS(352, 4),
        DOMAINID(356, 2),
        KPIOC(358, 1),
        MPTFAWR(360, 2),
        MEGCAP(368, 16),
        TMPTHHA(384, 1),
        CQT(386, 2),
        /** Submission queue entry size, powers of two: 3:0 required, 7:4 maximum. 66h for fabrics. */
        SQES(512, 1),
        /** Completion queue entry size, as {@link #SQES}. 44h for fabrics. */
        CQES(513, 1),
        /** Outstanding commands a queue may have; not zero for fabrics. */
        MAXCMD(514, 2),
        /** Highest namespace id. */
        NN(516, 4),
        ONCS(520, 2),
        FUSES(522, 2),
        FNA(524, 1),
        /** Bit 0 volatile write cache present; 2:1 Flush of all namespaces: 2 not supported, 3 supported. */
        VWC(525, 1),
        /** Blocks, zero based. */
        AWUN(526, 2),
        /** Blocks, zero based. */
        AWUPF(528, 2),
        ICSVSCC(530, 1),
        NWPC(531, 1),
        /** Blocks, zero based. */
        ACWU(532, 2),
        OCFS(534, 2),
        SGLS(536, 4),
        /** Most namespaces; not zero and at most NN when ANA is reported. */
        MNAN(540, 4),
        MAXDNA(544, 16),
        MAXCNA(560, 4),
        OAQD(564, 4),
        RHIRI(568, 1),
        HIRT(569, 1),
        /** Command capsule size in 16 bytes; at least 4, the entry alone. */
        IOCCSZ(1792, 4),
        /** Response capsule size in 16 bytes; at least 1. */
        IORCSZ(1796, 4),
        /** Offset of in-capsule data after the entry, in 16 bytes. */
        ICDOFF(1800, 2),
        /** Bit 0: 0 dynamic, 1 static controller model. */
        FCATT(1802, 1),
        /** Most SGL data block descriptors of a capsule, 0 = no limit. */
        MSDBD(1803, 1),
        /** Bit 0: Disconnect command supported. */
        OFCS(1804, 2),
        /** 1 direct, 2 central discovery controller. */
        DCTYPE(1806, 1),
        CCRL(1807, 1);

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

    // Values of CNTRLTYPE.
    public static final int TYPE_IO = 1;
    public static final int TYPE_DISCOVERY = 2;
    public static final int TYPE_ADMINISTRATIVE = 3;

    // Bits of CMIC.
    public static final int CMIC_MULTI_PORT = 1;
    public static final int CMIC_MULTI_CONTROLLER = 1 << 1;
    public static final int CMIC_ANA = 1 << 3;

    /** Value of ANACAP: all five states can be reported; a namespace may move to another group, no group is 0. */
    public static final int ANACAP_ALL_STATES = 0x1F;

    // Bits of CTRATT.
    public static final int CTRATT_HOST_ID_128 = 1;
    public static final int CTRATT_TRAFFIC_BASED_KEEP_ALIVE = 1 << 6;

    // Bits of LPA.
    public static final int LPA_SMART_PER_NAMESPACE = 1;
    public static final int LPA_COMMANDS_SUPPORTED_AND_EFFECTS = 1 << 1;
    /** NUMDU and the log page offset work: a log may be read in pieces. */
    public static final int LPA_EXTENDED_DATA = 1 << 2;

    public static final int LPA_SUPPORTED_LOG_PAGES = 1 << 5;

    // Bits of ONCS.
    public static final int ONCS_COMPARE = 1;
    public static final int ONCS_WRITE_UNCORRECTABLE = 1 << 1;
    public static final int ONCS_DATASET_MANAGEMENT = 1 << 2;
    public static final int ONCS_WRITE_ZEROES = 1 << 3;
    public static final int ONCS_SAVE_SELECT = 1 << 4;
    public static final int ONCS_RESERVATIONS = 1 << 5;
    public static final int ONCS_TIMESTAMP = 1 << 6;
    public static final int ONCS_VERIFY = 1 << 7;
    public static final int ONCS_COPY = 1 << 8;

    // Bit of FUSES.
    public static final int FUSES_COMPARE_AND_WRITE = 1;

    // Bits of VWC: cache present; Flush with NSID FFFFFFFFh supported.
    public static final int VWC_PRESENT = 1;
    public static final int VWC_FLUSH_ALL_NOT_SUPPORTED = 2 << 1;
    public static final int VWC_FLUSH_ALL = 3 << 1;

    // Bits of SGLS.
    public static final int SGLS_ANY_ALIGNMENT = 1;
    public static final int SGLS_DWORD_ALIGNMENT = 2;
    public static final int SGLS_KEYED = 1 << 2;
    public static final int SGLS_OFFSET = 1 << 20;
    public static final int SGLS_TRANSPORT = 1 << 21;

    private IdentifyController() {
        super(BYTES);
    }

    private IdentifyController(ByteBuffer source, int offset) {
        super(source, offset, BYTES);
    }

    /** Data with every byte zero and the text fields blank. */
    public static IdentifyController allocate() {
        IdentifyController controller = new IdentifyController();
        controller.serialNumber("");
        controller.modelNumber("");
        controller.firmwareRevision("");
        return controller;
    }

    /** A copy of 4096 received bytes; {@link IllegalArgumentException} when there are fewer. */
    public static IdentifyController decode(ByteBuffer source, int offset) {
        return new IdentifyController(source, offset);
    }

    public String serialNumber() {
        return Bytes.getAscii(buffer(), SERIAL_NUMBER_OFFSET, SERIAL_NUMBER_BYTES);
    }

    /** At most 20 ASCII characters; the rest is cut. */
    public void serialNumber(String serialNumber) {
        Bytes.putAscii(buffer(), SERIAL_NUMBER_OFFSET, SERIAL_NUMBER_BYTES, serialNumber, ' ');
    }

    public String modelNumber() {
        return Bytes.getAscii(buffer(), MODEL_NUMBER_OFFSET, MODEL_NUMBER_BYTES);
    }

    /** At most 40 ASCII characters; the rest is cut. */
    public void modelNumber(String modelNumber) {
        Bytes.putAscii(buffer(), MODEL_NUMBER_OFFSET, MODEL_NUMBER_BYTES, modelNumber, ' ');
    }

    public String firmwareRevision() {
        return Bytes.getAscii(buffer(), FIRMWARE_REVISION_OFFSET, FIRMWARE_REVISION_BYTES);
    }

    /** At most 8 ASCII characters; the rest is cut. */
    public void firmwareRevision(String firmwareRevision) {
        Bytes.putAscii(buffer(), FIRMWARE_REVISION_OFFSET, FIRMWARE_REVISION_BYTES, firmwareRevision, ' ');
    }

    public String subsystemNqn() {
        return Bytes.getUtf8(buffer(), SUBSYSTEM_NQN_OFFSET, SUBSYSTEM_NQN_BYTES);
    }

    /** At most 255 bytes of UTF-8, else {@link IllegalArgumentException}. */
    public void subsystemNqn(String nqn) {
        Bytes.putUtf8(buffer(), SUBSYSTEM_NQN_OFFSET, SUBSYSTEM_NQN_BYTES, nqn);
    }

    /** Maximum power of a power state, 0 to 31, in 10 mW. */
    public int maxPower(int powerState) {
        return Bytes.u16(buffer(), powerStateOffset(powerState));
    }

    public void maxPower(int powerState, int centiwatts) {
        buffer().putShort(powerStateOffset(powerState), (short) centiwatts);
    }

    /** Largest data of one command in bytes, for a minimum page of 2^(12 + {@code mpsmin}); 0 = no limit. */
    public long maxDataTransferBytes(int mpsmin) {
        long mdts = get(MDTS);
        int shift = (int) mdts + 12 + mpsmin;
        return mdts == 0 || shift > 62 ? 0 : 1L << shift;
    }

    /** How many bytes of data a command capsule of an I/O queue can carry. */
    public long inCapsuleDataBytes() {
        return Math.max(0, get(IOCCSZ) * 16 - Sqe.BYTES);
    }

    private static int powerStateOffset(int powerState) {
        if (powerState < 0 || powerState > 31) {
            throw new IllegalArgumentException("there is no power state " + powerState);
        }
        return POWER_STATES_OFFSET + POWER_STATE_BYTES * powerState;
    }
}
