package io.nvmf.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SizesTest {
    @ParameterizedTest
    @CsvSource({"0,0", "512,512", "4k,4096", "8K,8192", "10m,10485760", "2g,2147483648", "1T,1099511627776"})
    void shouldReadSizeWithPowersOfTwo(String text, long bytes) throws CommandException {
        assertEquals(bytes, Sizes.parse("--length", text));
    }

    @ParameterizedTest
    @CsvSource({"''", "k", "-1", "1.5g", "10x", "1 g", "4kb", "0x10"})
    void shouldSayHowToWriteSizeWhenItIsNone(String text) {
        CommandException e = assertThrows(CommandException.class, () -> Sizes.parse("--length", text));
        assertEquals(
                "--length '" + text + "' is not a number of bytes, write it as 4096, 512k, 10m or 2g", e.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"9223372036854775808", "8388608t", "9999999999999999999"})
    void shouldRefuseSizeBeyond63Bits(String text) {
        CommandException e = assertThrows(CommandException.class, () -> Sizes.parse("--length", text));
        assertEquals("--length '" + text + "' is larger than any device can be", e.getMessage());
    }

    @Test
    void shouldRefuseSizeBeyondIntWhereAnIntIsNeeded() throws CommandException {
        assertEquals(Integer.MAX_VALUE, Sizes.parseInt("x", "2147483647"));
        CommandException e = assertThrows(CommandException.class, () -> Sizes.parseInt("x", "2g"));
        assertEquals("x '2g' is more than 2147483647 bytes", e.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"0,0 bytes", "1,1 bytes", "1024,1 KiB", "1536,1.5 KiB", "10737418240,10 GiB", "1099511627776,1 TiB"})
    void shouldWriteSizeForPeople(long bytes, String text) {
        assertEquals(text, Sizes.format(bytes));
    }
}
