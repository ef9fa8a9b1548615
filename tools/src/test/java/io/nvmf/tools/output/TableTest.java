package io.nvmf.tools.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class TableTest {
    @Test
    void shouldAlignTextToTheLeftAndNumbersToTheRight() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new Table("name", "size").row("a", "4 KiB").row("longer", "16 KiB").print(new PrintStream(bytes, true));
        assertEquals("""
                name      size
                a        4 KiB
                longer  16 KiB
                """, bytes.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldRefuseRowOfAnotherWidth() {
        assertThrows(IllegalArgumentException.class, () -> new Table("a", "b").row("1"));
    }
}
