package io.nvmf.codec.identify;

import io.nvmf.codec.NumberField;
import io.nvmf.codec.Structure;
import java.nio.ByteBuffer;

/** Namespace data of the NVM command set, CNS 05h with CSI 00h (NVM Command Set 1.0 s4.1.5.3). */
public final class NvmCommandSetNamespace extends Structure<NvmCommandSetNamespace.Field> {
    public static final int BYTES = 4096;

    /** The numbers, in the order of their bytes. */
    public enum Field implements NumberField {
        LBSTM(0, 8),
        PIC(8, 1),
        PIFA(9, 1),
        NPDGL(268, 4),
        NPRG(272, 4),
        NPRA(276, 4),
        NORS(280, 4),
        NPDAL(284, 4);

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

    private NvmCommandSetNamespace() {
        super(BYTES);
    }

    private NvmCommandSetNamespace(ByteBuffer source, int offset) {
        super(source, offset, BYTES);
    }

    /** Data with every byte zero: no storage tags, no extended formats. */
    public static NvmCommandSetNamespace allocate() {
        return new NvmCommandSetNamespace();
    }

    /** A copy of 4096 received bytes; {@link IllegalArgumentException} when there are fewer. */
    public static NvmCommandSetNamespace decode(ByteBuffer source, int offset) {
        return new NvmCommandSetNamespace(source, offset);
    }
}
