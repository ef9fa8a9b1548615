package io.nvmf.codec.identify;

import io.nvmf.codec.NumberField;
import io.nvmf.codec.Structure;
import java.nio.ByteBuffer;

/** Namespace data that is the same for every I/O command set, CNS 08h (NVMe Base 2.0 s5.17.2.8). */
public final class IndependentNamespace extends Structure<IndependentNamespace.Field> {
    public static final int BYTES = 4096;

    /** The numbers, in the order of their bytes. */
    public enum Field implements NumberField {
        NSFEAT(0, 1),
        /** Bit 0: several controllers may have it attached at once. */
        NMIC(1, 1),
        RESCAP(2, 1),
        FPI(3, 1),
        ANAGRPID(4, 4),
        /** Bit 0: write protected. */
        NSATTR(8, 1),
        NVMSETID(10, 2),
        ENDGID(12, 2),
        /** Bit 0: ready. */
        NSTAT(14, 1),
        KPIOS(15, 1),
        MAXKT(16, 2),
        RGRPID(20, 4);

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

    private IndependentNamespace() {
        super(BYTES);
    }

    private IndependentNamespace(ByteBuffer source, int offset) {
        super(source, offset, BYTES);
    }

    /** Data with every byte zero: not ready. */
    public static IndependentNamespace allocate() {
        return new IndependentNamespace();
    }

    /** A copy of 4096 received bytes; {@link IllegalArgumentException} when there are fewer. */
    public static IndependentNamespace decode(ByteBuffer source, int offset) {
        return new IndependentNamespace(source, offset);
    }
}
