package io.nvmf.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class Crc32cTest {
    private final Crc32c crc = new Crc32c();

    @Test
    void shouldGiveKnownDigests() {
        byte[] ascending = new byte[32];
        for (int i = 0; i < 32; i++) {
            ascending[i] = (byte) i;
        }
        byte[] ones = new byte[32];
        Arrays.fill(ones, (byte) 0xFF);
        assertEquals(0xE306_9283, crc.of("123456789".getBytes(StandardCharsets.US_ASCII), 0, 9));
        assertEquals(0x8A91_36AA, crc.of(new byte[32], 0, 32));
        assertEquals(0x62A8_AB43, crc.of(ones, 0, 32));
        assertEquals(0x46DD_794E, crc.of(ascending, 0, 32));
        assertEquals(0, crc.of(ones, 0, 0));
    }

    @Test
    void shouldGiveSameDigestWhenCutAnywhere() {
        byte[] text = "x123456789".getBytes(StandardCharsets.US_ASCII);
        for (int cut = 0; cut <= 9; cut++) {
            crc.reset();
            crc.update(text, 1, cut);
            ByteBuffer rest = ByteBuffer.allocateDirect(9 - cut)
                    .put(text, 1 + cut, 9 - cut)
                    .flip();
            crc.update(rest);
            assertEquals(0xE306_9283, crc.value(), "cut at " + cut);
            assertEquals(rest.limit(), rest.position());
        }
    }
}
