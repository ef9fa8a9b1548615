package io.nvmf.codec.identify;

import static io.nvmf.codec.identify.IdentifyNamespace.Field.FLBAS;
import static io.nvmf.codec.identify.IdentifyNamespace.Field.NLBAF;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.NumberField;
import io.nvmf.codec.Structure;
import java.nio.ByteBuffer;

/**
 * Identify Namespace data of the NVM command set, CNS 00h (NVM Command Set 1.0 s4.1.5.1). Numbers are in the table
 * {@link Field}; beside them:
 *
 * <pre>
 *  104-119 NGUID, big endian   120-127 EUI64, big endian   128 + 4n LBA format n of 64, see {@link LbaFormat}
 * </pre>
 */
public final class IdentifyNamespace extends Structure<IdentifyNamespace.Field> {
    public static final int BYTES = 4096;
    public static final int MAX_LBA_FORMATS = 64;

    private static final int NGUID_OFFSET = 104;
    private static final int EUI64_OFFSET = 120;
    private static final int LBA_FORMATS_OFFSET = 128;

    /** The numbers, in the order of their bytes. */
    public enum Field implements NumberField {
        /** Size in blocks. */
        NSZE(0, 8),
        /** Capacity in blocks, at most NSZE. */
        NCAP(8, 8),
        /** Blocks in use, at most NCAP. */
        NUSE(16, 8),
        NSFEAT(24, 1),
        /** LBA formats, zero based. */
        NLBAF(25, 1),
        FLBAS(26, 1),
        MC(27, 1),
        DPC(28, 1),
        DPS(29, 1),
        /** Bit 0: several controllers may have it attached at once. */
        NMIC(30, 1),
        RESCAP(31, 1),
        FPI(32, 1),
        /** 2:0 what a deallocated block reads as: 1 zeros, 2 FFh; 3 Write Zeroes may deallocate. */
        DLFEAT(33, 1),
        /** Blocks, zero based, as every atomic and optimal size below. */
        NAWUN(34, 2),
        NAWUPF(36, 2),
        NACWU(38, 2),
        NABSN(40, 2),
        NABO(42, 2),
        NABSPF(44, 2),
        NOIOB(46, 2),
        /** Bytes. */
        NVMCAP(48, 16),
        NPWG(64, 2),
        NPWA(66, 2),
        NPDG(68, 2),
        NPDA(70, 2),
        NOWS(72, 2),
        MSSRL(74, 2),
        MCL(76, 4),
        /** Source ranges of a Copy command, zero based. */
        MSRC(80, 1),
        KPIOS(81, 1),
        NULBAF(82, 1),
        ANAGRPID(92, 4),
        /** Bit 0: write protected. */
        NSATTR(99, 1),
        NVMSETID(100, 2),
        ENDGID(102, 2);

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

    // Bits of NSFEAT.
    public static final int NSFEAT_THIN = 1;
    /** NAWUN, NAWUPF and NACWU are valid. */
    public static final int NSFEAT_ATOMICS = 1 << 1;

    public static final int NSFEAT_DEALLOCATED_ERROR = 1 << 2;
    /** NPWG, NPWA, NPDG, NPDA and NOWS are valid. */
    public static final int NSFEAT_OPTIMAL_SIZES = 1 << 4;

    // Bits of DLFEAT.
    public static final int DLFEAT_READS_ZEROS = 1;
    public static final int DLFEAT_WRITE_ZEROES_DEALLOCATES = 1 << 3;

    // Bit of NMIC.
    public static final int NMIC_SHARED = 1;
    // Bits of RESCAP.
    public static final int RESCAP_PERSISTS = 1;
    /** A bit for each of the six types. */
    public static final int RESCAP_ALL_TYPES = 0x7E;
    /** IEKEY has the meaning that it has since NVMe 1.3. */
    public static final int RESCAP_IGNORE_EXISTING_KEY = 1 << 7;

    // Bit of NSATTR.
    public static final int NSATTR_WRITE_PROTECTED = 1;
    /** An LBA format: bytes 0-1 metadata size, 2 block size as a power of two, 3 1:0 relative performance (0 best). */
    public record LbaFormat(int metadataBytes, int blockShift, int relativePerformance) {}

    private IdentifyNamespace() {
        super(BYTES);
    }

    private IdentifyNamespace(ByteBuffer source, int offset) {
        super(source, offset, BYTES);
    }

    /** Data with every byte zero: what is told of an inactive namespace. */
    public static IdentifyNamespace allocate() {
        return new IdentifyNamespace();
    }

    /** A copy of 4096 received bytes; {@link IllegalArgumentException} when there are fewer. */
    public static IdentifyNamespace decode(ByteBuffer source, int offset) {
        return new IdentifyNamespace(source, offset);
    }

    /** {@link Nguid#NONE} when there is none. */
    public Nguid nguid() {
        return Nguid.decode(buffer(), NGUID_OFFSET);
    }

    public void nguid(Nguid nguid) {
        nguid.encode(buffer(), NGUID_OFFSET);
    }

    /** As one number, its first byte the most significant; 0 when there is none. */
    public long eui64() {
        return Bytes.i64BigEndian(buffer(), EUI64_OFFSET);
    }

    public void eui64(long eui64) {
        Bytes.putI64BigEndian(buffer(), EUI64_OFFSET, eui64);
    }

    public LbaFormat lbaFormat(int index) {
        long format = Bytes.u32(buffer(), lbaFormatOffset(index));
        return new LbaFormat((int) format & 0xFFFF, (int) (format >> 16) & 0xFF, (int) (format >> 24) & 0x3);
    }

    public void lbaFormat(int index, LbaFormat format) {
        int offset = lbaFormatOffset(index);
        buffer().putShort(offset, (short) format.metadataBytes());
        buffer().put(offset + 2, (byte) format.blockShift());
        buffer().put(offset + 3, (byte) (format.relativePerformance() & 0x3));
    }

    /** Index of the format in use: FLBAS 3:0, extended by 6:5 when there are more than 16 formats. */
    public int currentLbaFormatIndex() {
        int flbas = (int) get(FLBAS);
        int low = flbas & 0xF;
        return get(NLBAF) < 16 ? low : (flbas >> 5 & 0x3) << 4 | low;
    }

    public LbaFormat currentLbaFormat() {
        return lbaFormat(currentLbaFormatIndex());
    }

    private static int lbaFormatOffset(int index) {
        if (index < 0 || index >= MAX_LBA_FORMATS) {
            throw new IllegalArgumentException("there is no LBA format " + index);
        }
        return LBA_FORMATS_OFFSET + 4 * index;
    }
}
