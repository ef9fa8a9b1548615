package io.nvmf.codec.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.TestBytes;
import io.nvmf.codec.tcp.PduType.Direction;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which headers are believed, and which FES and FEI the others get. */
class PduFormatTest {
    @ParameterizedTest(name = "{0}: {4} with digests {1}, alignment {2}")
    @CsvSource(
            delimiter = '|',
            value = {
                // direction | digests | alignment | type | header
                "H2C |    |   4 | IC_REQ       | 00 00 80 00 80 00 00 00",
                "C2H |    |   4 | IC_RESP      | 01 00 80 00 80 00 00 00",
                "H2C |    |   4 | H2C_TERM_REQ | 02 00 18 00 18 00 00 00",
                "H2C | HD |   4 | H2C_TERM_REQ | 02 00 18 00 98 00 00 00",
                "C2H | HD |   4 | C2H_TERM_REQ | 03 00 18 00 20 00 00 00",
                "H2C |    |   4 | CAPSULE_CMD  | 04 00 48 00 48 00 00 00",
                "H2C |    |   4 | CAPSULE_CMD  | 04 00 48 48 49 00 00 00",
                "H2C | H  |   4 | CAPSULE_CMD  | 04 01 48 00 4C 00 00 00",
                "H2C | HD |   4 | CAPSULE_CMD  | 04 03 48 4C 50 20 00 00",
                // DDGSTF on a capsule without data, as some hosts send it
                "H2C | HD |   4 | CAPSULE_CMD  | 04 03 48 00 4C 00 00 00",
                "H2C | D  | 128 | CAPSULE_CMD  | 04 02 48 80 85 00 00 00",
                // more padding than needed
                "H2C |    |   4 | CAPSULE_CMD  | 04 00 48 FC FD 00 00 00",
                "C2H |    |   4 | CAPSULE_RESP | 05 00 18 00 18 00 00 00",
                "C2H | HD |   4 | CAPSULE_RESP | 05 01 18 00 1C 00 00 00",
                "H2C |    |   4 | H2C_DATA     | 06 04 18 18 19 00 00 00",
                "H2C | HD |   4 | H2C_DATA     | 06 03 18 1C 21 00 00 00",
                "C2H |    |   4 | C2H_DATA     | 07 0C 18 18 18 10 00 00",
                "C2H | D  |  64 | C2H_DATA     | 07 0E 18 40 44 10 00 00",
                "C2H |    |   4 | C2H_DATA     | 07 00 18 18 FF FF FF 7F",
                "C2H |    |   4 | R2T          | 09 00 18 00 18 00 00 00",
                "C2H | H  |   4 | R2T          | 09 01 18 00 1C 00 00 00",
            })
    void shouldAcceptHeader(Direction direction, String digests, int alignment, PduType type, String header)
            throws PduException {
        assertEquals(type, format(direction, digests, alignment).check(TestBytes.of(header)));
    }

    @ParameterizedTest(name = "{0}: {4} with digests {1}, alignment {2} is refused at byte {3}")
    @CsvSource(
            delimiter = '|',
            value = {
                // direction | digests | alignment | offset of the refused field | header
                // unknown type, or one of the other direction
                "H2C |    |   4 | 0 | 08 00 18 00 18 00 00 00",
                "H2C |    |   4 | 0 | 0A 00 18 00 18 00 00 00",
                "H2C |    |   4 | 0 | FF FF FF FF FF FF FF FF",
                "H2C |    |   4 | 0 | 01 00 80 00 80 00 00 00",
                "H2C |    |   4 | 0 | 05 00 18 00 18 00 00 00",
                "C2H |    |   4 | 0 | 04 00 48 00 48 00 00 00",
                "C2H |    |   4 | 0 | 06 00 18 18 20 00 00 00",
                // HLEN
                "H2C |    |   4 | 2 | 00 00 7F 00 80 00 00 00",
                "H2C |    |   4 | 2 | 04 00 47 00 48 00 00 00",
                "H2C | H  |   4 | 2 | 04 01 4C 00 4C 00 00 00",
                "C2H |    |   4 | 2 | 05 00 00 00 18 00 00 00",
                "H2C |    |   4 | 2 | 02 00 19 00 19 00 00 00",
                // digest flags that were not agreed on
                "H2C |    |   4 | 1 | 00 01 80 00 80 00 00 00",
                "H2C |    |   4 | 1 | 00 02 80 00 80 00 00 00",
                "H2C | HD |   4 | 1 | 00 01 80 00 80 00 00 00",
                "H2C |    |   4 | 1 | 04 01 48 00 48 00 00 00",
                "H2C | H  |   4 | 1 | 04 00 48 00 4C 00 00 00",
                "H2C | D  |   4 | 1 | 04 00 48 48 50 00 00 00",
                "H2C |    |   4 | 1 | 04 02 48 48 50 00 00 00",
                "H2C |    |   4 | 1 | 04 02 48 00 48 00 00 00",
                "C2H | D  |   4 | 1 | 07 04 18 18 30 00 00 00",
                "C2H | H  |   4 | 1 | 09 00 18 00 1C 00 00 00",
                "H2C | HD |   4 | 1 | 02 01 18 00 18 00 00 00",
                // PLEN
                "H2C |    |   4 | 4 | 00 00 80 00 81 00 00 00",
                "H2C |    |   4 | 4 | 00 00 80 00 00 00 00 00",
                "H2C |    |   4 | 4 | 04 00 48 00 47 00 00 00",
                "H2C | H  |   4 | 4 | 04 01 48 00 48 00 00 00",
                "H2C |    |   4 | 4 | 04 00 48 48 FF FF FF FF",
                "H2C |    |   4 | 4 | 04 00 48 48 00 00 00 80",
                "C2H |    |   4 | 4 | 05 00 18 00 1C 00 00 00",
                "C2H | H  |   4 | 4 | 05 01 18 00 18 00 00 00",
                "H2C |    |   4 | 4 | 06 00 18 18 18 00 00 00",
                "H2C | H  |   4 | 4 | 06 01 18 1C 1C 00 00 00",
                "C2H |    |   4 | 4 | 07 00 18 18 18 00 00 00",
                "C2H |    |   4 | 4 | 09 00 18 00 19 00 00 00",
                "H2C |    |   4 | 4 | 02 00 18 00 17 00 00 00",
                "H2C |    |   4 | 4 | 02 00 18 00 99 00 00 00",
                // PDO: inside the header or digest, at or behind the end, no room for the data digest, not aligned
                "H2C |    |   4 | 3 | 04 00 48 00 50 00 00 00",
                "H2C |    |   4 | 3 | 04 00 48 44 50 00 00 00",
                "H2C | H  |   4 | 3 | 04 01 48 48 50 00 00 00",
                "H2C |    |   4 | 3 | 04 00 48 50 50 00 00 00",
                "H2C |    |   4 | 3 | 04 00 48 FC 50 00 00 00",
                "H2C | D  |   4 | 3 | 04 02 48 48 4C 00 00 00",
                "H2C |    |   4 | 3 | 04 00 48 49 50 00 00 00",
                "H2C |    | 128 | 3 | 04 00 48 7C 00 01 00 00",
                "C2H |    |  64 | 3 | 07 00 18 18 00 01 00 00",
            })
    void shouldRefuseHeader(Direction direction, String digests, int alignment, int offset, String header) {
        PduFormat format = format(direction, digests, alignment);
        ByteBuffer bytes = TestBytes.of(header);
        PduException refusal = assertThrows(PduException.class, () -> format.check(bytes));
        assertEquals(FatalErrorStatus.INVALID_PDU_HEADER_FIELD, refusal.status());
        assertEquals(1, refusal.status().code());
        assertEquals(offset, refusal.information(), refusal.getMessage());
    }

    @Test
    void shouldGiveOnlyUsableLengthsWhateverTheHeader() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        ByteBuffer header = Bytes.allocate(8);
        int accepted = 0;
        for (int i = 0; i < 50_000; i++) {
            randomHeader(random, header);
            PduFormat format = new PduFormat(
                    random.nextBoolean() ? Direction.H2C : Direction.C2H,
                    random.nextBoolean(),
                    random.nextBoolean(),
                    4 * (1 + random.nextInt(32)));
            Supplier<String> what = () -> "seed " + seed + ", header " + TestBytes.hex(header, 0, 8) + ", " + format;
            try {
                PduType type = format.check(header);
                accepted++;
                int data = format.dataLength(header, type);
                long rest = PduHeader.pduLength(header) - data;
                assertTrue(data >= 0 && rest >= type.headerBytes(), what);
                assertTrue(rest <= 255 + 4, what);
            } catch (PduException refused) {
                assertEquals(FatalErrorStatus.INVALID_PDU_HEADER_FIELD, refused.status(), what);
            }
        }
        assertTrue(accepted > 500, "seed " + seed + " accepted only " + accepted);
    }

    /** Random bytes, but often a type's own HLEN and a PLEN near it, so that every check is reached. */
    private static void randomHeader(Random random, ByteBuffer header) {
        header.putLong(0, random.nextLong());
        PduType type = PduType.values()[random.nextInt(PduType.values().length)];
        header.put(PduHeader.TYPE_OFFSET, (byte) type.code());
        if (random.nextInt(8) != 0) {
            header.put(PduHeader.HLEN_OFFSET, (byte) type.headerBytes());
            header.put(PduHeader.FLAGS_OFFSET, (byte) random.nextInt(16));
        }
        if (random.nextInt(4) != 0) {
            header.put(PduHeader.PDO_OFFSET, (byte) (type.headerBytes() + random.nextInt(60)));
            header.putInt(PduHeader.PLEN_OFFSET, type.headerBytes() + random.nextInt(-8, 80));
        }
    }

    private static PduFormat format(Direction direction, String digests, int alignment) {
        String given = digests == null ? "" : digests;
        return new PduFormat(direction, given.contains("H"), given.contains("D"), alignment);
    }
}
