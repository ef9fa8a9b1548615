package io.nvmf.codec.fabrics;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;

/**
 * The Property Get and Property Set commands (NVMe-oF 1.1 s3.4 and s3.5): 40 ATTRIB (size in bits 2:0), 44-47 OFST,
 * 48-55 VALUE of a Set. A Get returns the value in DW0 and DW1.
 */
public final class PropertyCommand {
    public static final int ATTRIBUTES_OFFSET = 40;
    public static final int PROPERTY_OFFSET_OFFSET = 44;
    public static final int VALUE_OFFSET = 48;

    private PropertyCommand() {}

    /** Fills the whole entry but for CID. SGL1 stays zero: there is no data. */
    public static void encodeGet(Sqe sqe, Property property) {
        sqe.clear(Opcode.FABRICS).fabricsType(FabricsType.PROPERTY_GET);
        encode(sqe, property);
    }

    /** Fills the whole entry but for CID. */
    public static void encodeSet(Sqe sqe, Property property, long value) {
        sqe.clear(Opcode.FABRICS).fabricsType(FabricsType.PROPERTY_SET);
        encode(sqe, property);
        sqe.buffer().putLong(sqe.offset() + VALUE_OFFSET, value);
    }

    private static void encode(Sqe sqe, Property property) {
        sqe.buffer().put(sqe.offset() + ATTRIBUTES_OFFSET, (byte) (property.sizeBytes() == 8 ? 1 : 0));
        sqe.buffer().putInt(sqe.offset() + PROPERTY_OFFSET_OFFSET, property.offset());
    }

    /** ATTRIB bits 2:0 as a size: 4 or 8, or 0 for a reserved value. */
    public static int sizeBytes(Sqe sqe) {
        return switch (Bytes.u8(sqe.buffer(), sqe.offset() + ATTRIBUTES_OFFSET) & 0x7) {
            case 0 -> 4;
            case 1 -> 8;
            default -> 0;
        };
    }

    public static long propertyOffset(Sqe sqe) {
        return Bytes.u32(sqe.buffer(), sqe.offset() + PROPERTY_OFFSET_OFFSET);
    }

    public static long value(Sqe sqe) {
        return sqe.buffer().getLong(sqe.offset() + VALUE_OFFSET);
    }
}
