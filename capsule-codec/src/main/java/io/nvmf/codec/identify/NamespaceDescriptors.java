package io.nvmf.codec.identify;

import io.nvmf.codec.Bytes;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * The Namespace Identification Descriptor list, CNS 03h (NVMe Base 2.0 s5.17.2.3): descriptors of byte 0 NIDT, 1 NIDL,
 * 2-3 reserved, NIDL bytes of identifier; NIDL 0 ends the list.
 *
 * @param eui64 first byte most significant; 0 when there is none
 * @param nguid {@link Nguid#NONE} when there is none
 * @param uuid {@link #NO_UUID} when there is none
 * @param csi command set, see {@link Csi}; {@link #NO_CSI} when the list does not tell
 */
public record NamespaceDescriptors(long eui64, Nguid nguid, UUID uuid, int csi) {
    public static final int BYTES = 4096;
    public static final int TYPE_EUI64 = 1;
    public static final int TYPE_NGUID = 2;
    public static final int TYPE_UUID = 3;
    public static final int TYPE_CSI = 4;

    public static final UUID NO_UUID = new UUID(0, 0);
    public static final int NO_CSI = -1;

    private static final int HEADER_BYTES = 4;

    /** Whether there is an identifier to know the namespace by. */
    public boolean identify() {
        return eui64 != 0 || !nguid.equals(Nguid.NONE) || !uuid.equals(NO_UUID);
    }

    /** Writes the identifiers there are and fills the 4096 bytes with zeros. */
    public void encode(ByteBuffer target, int offset) {
        Bytes.zero(Bytes.requireRange(target, offset, BYTES), offset, BYTES);
        int at = offset;
        if (eui64 != 0) {
            at = putHeader(target, at, TYPE_EUI64, 8);
            Bytes.putI64BigEndian(target, at, eui64);
            at += 8;
        }
        if (!nguid.equals(Nguid.NONE)) {
            at = putHeader(target, at, TYPE_NGUID, Nguid.BYTES);
            nguid.encode(target, at);
            at += Nguid.BYTES;
        }
        if (!uuid.equals(NO_UUID)) {
            at = putHeader(target, at, TYPE_UUID, 16);
            Bytes.putI64BigEndian(target, at, uuid.getMostSignificantBits());
            Bytes.putI64BigEndian(target, at + 8, uuid.getLeastSignificantBits());
            at += 16;
        }
        if (csi != NO_CSI) {
            at = putHeader(target, at, TYPE_CSI, 1);
            target.put(at, (byte) csi);
        }
    }

    /**
     * Reads a list; unknown types and identifiers of a wrong length are skipped, a descriptor that runs beyond the end
     * ends the list.
     *
     * @throws IllegalArgumentException when there are fewer than 4096 bytes
     */
    public static NamespaceDescriptors decode(ByteBuffer source, int offset) {
        Bytes.requireRange(source, offset, BYTES);
        long eui64 = 0;
        Nguid nguid = Nguid.NONE;
        UUID uuid = NO_UUID;
        int csi = NO_CSI;
        int end = offset + BYTES;
        int at = offset;
        while (at + HEADER_BYTES <= end) {
            int type = Bytes.u8(source, at);
            int length = Bytes.u8(source, at + 1);
            int body = at + HEADER_BYTES;
            if (length == 0 || body + length > end) {
                break;
            }
            if (type == TYPE_EUI64 && length == 8) {
                eui64 = Bytes.i64BigEndian(source, body);
            } else if (type == TYPE_NGUID && length == Nguid.BYTES) {
                nguid = Nguid.decode(source, body);
            } else if (type == TYPE_UUID && length == 16) {
                uuid = new UUID(Bytes.i64BigEndian(source, body), Bytes.i64BigEndian(source, body + 8));
            } else if (type == TYPE_CSI && length == 1) {
                csi = Bytes.u8(source, body);
            }
            at = body + length;
        }
        return new NamespaceDescriptors(eui64, nguid, uuid, csi);
    }

    private static int putHeader(ByteBuffer target, int at, int type, int length) {
        target.put(at, (byte) type);
        target.put(at + 1, (byte) length);
        return at + HEADER_BYTES;
    }
}
