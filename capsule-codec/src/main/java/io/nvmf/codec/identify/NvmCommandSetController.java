package io.nvmf.codec.identify;

import io.nvmf.codec.NumberField;
import io.nvmf.codec.Structure;
import java.nio.ByteBuffer;

/** Controller data of the NVM command set, CNS 06h with CSI 00h (NVM Command Set 1.0 s4.1.5.4). Size limits are powers of two
 * of the minimum memory page; zero is no limit. */
public final class NvmCommandSetController extends Structure<NvmCommandSetController.Field> {
    public static final int BYTES = 4096;

    /** The numbers, in the order of their bytes. */
    public enum Field implements NumberField {
        /** Verify. */
        VSL(0, 1),
        /** Write Zeroes. */
        WZSL(1, 1),
        /** Write Uncorrectable. */
        WUSL(2, 1),
        /** Ranges of a Dataset Management command. */
        DMRL(3, 1),
        /** Blocks of one range. */
        DMRSL(4, 4),
        /** Blocks of all ranges. */
        DMSL(8, 8),
        KPIOCAP(16, 1),
        WZDSL(17, 1),
        AOCS(18, 2),
        VER(20, 4),
        LBAMQF(24, 1);

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

    private NvmCommandSetController() {
        super(BYTES);
    }

    private NvmCommandSetController(ByteBuffer source, int offset) {
        super(source, offset, BYTES);
    }

    /** Data with every byte zero: no limits. */
    public static NvmCommandSetController allocate() {
        return new NvmCommandSetController();
    }

    /** A copy of 4096 received bytes; {@link IllegalArgumentException} when there are fewer. */
    public static NvmCommandSetController decode(ByteBuffer source, int offset) {
        return new NvmCommandSetController(source, offset);
    }
}
