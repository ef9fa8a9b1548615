package io.nvmf.codec.identify;

import io.nvmf.codec.Bytes;
import java.nio.ByteBuffer;
import java.util.HexFormat;

/** A namespace's globally unique identifier: 16 bytes, big endian (NVM Command Set 1.0 s4.1.5.1). */
public record Nguid(long high, long low) {
    public static final int BYTES = 16;
    /** All zero: no identifier. */
    public static final Nguid NONE = new Nguid(0, 0);

    public static Nguid decode(ByteBuffer buffer, int offset) {
        return new Nguid(Bytes.i64BigEndian(buffer, offset), Bytes.i64BigEndian(buffer, offset + 8));
    }

    public void encode(ByteBuffer buffer, int offset) {
        Bytes.putI64BigEndian(buffer, offset, high);
        Bytes.putI64BigEndian(buffer, offset + 8, low);
    }

    /** Reads 32 hexadecimal digits, dashes among them ignored; {@link IllegalArgumentException} for anything else. */
    public static Nguid parse(String text) {
        String digits = text.replace("-", "");
        if (!digits.matches("[0-9A-Fa-f]{32}")) {
            throw new IllegalArgumentException("an NGUID has 32 hexadecimal digits, not '" + text + "'");
        }
        return new Nguid(HexFormat.fromHexDigitsToLong(digits, 0, 16), HexFormat.fromHexDigitsToLong(digits, 16, 32));
    }

    /** 32 hexadecimal digits. */
    @Override
    public String toString() {
        return HexFormat.of().toHexDigits(high) + HexFormat.of().toHexDigits(low);
    }
}
