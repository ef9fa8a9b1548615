package io.nvmf.codec.feature;

import io.nvmf.codec.Bytes;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * Feature 81h (NVMe Base 2.0 s5.27.1.25): CDW11 bit 0 EXHID, whether the identifier has 16 bytes, as over fabrics it must;
 * the data is that identifier, as the host sent it in Connect.
 */
public final class HostIdentifier {
    public static final int EXTENDED = 1;
    public static final int EXTENDED_BYTES = 16;

    private HostIdentifier() {}

    public static void encode(ByteBuffer target, int offset, UUID hostId) {
        Bytes.requireRange(target, offset, EXTENDED_BYTES);
        Bytes.putI64BigEndian(target, offset, hostId.getMostSignificantBits());
        Bytes.putI64BigEndian(target, offset + 8, hostId.getLeastSignificantBits());
    }
}
