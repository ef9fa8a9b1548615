package io.nvmf.initiator.namespace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeallocationTest {
    private static final NamespaceLimits NONE = new NamespaceLimits(1 << 20, 0, 0, 0, 256, 0, 0);

    /** Each command as text: {@code start+count start+count}. */
    private static List<String> commands(NamespaceLimits limits, BlockRange... ranges) {
        Deallocation deallocation = new Deallocation(List.of(ranges), limits);
        List<String> commands = new ArrayList<>();
        while (deallocation.hasNext()) {
            ByteBuffer data = deallocation.next();
            StringBuilder text = new StringBuilder();
            for (int at = 0; at < data.limit(); at += 16) {
                assertEquals(0, data.getInt(at));
                text.append(at == 0 ? "" : " ")
                        .append(data.getLong(at + 8))
                        .append('+')
                        .append(data.getInt(at + 4) & 0xFFFF_FFFFL);
            }
            commands.add(text.toString());
        }
        return commands;
    }

    @Test
    void shouldPutRangesIntoOneCommandWhereTheyFit() {
        assertEquals(List.of("1+2 7+1"), commands(NONE, new BlockRange(1, 2), new BlockRange(7, 1)));
        assertEquals(List.of(), commands(NONE));
    }

    @Test
    void shouldStartAnotherCommandAfterAsManyRangesAsTheControllerTakes() {
        NamespaceLimits two = new NamespaceLimits(1 << 20, 0, 0, 0, 2, 0, 0);
        assertEquals(
                List.of("1+1 3+1", "5+1"),
                commands(two, new BlockRange(1, 1), new BlockRange(3, 1), new BlockRange(5, 1)));
    }

    @Test
    void shouldCutRangesThatAreTooLong() {
        NamespaceLimits ten = new NamespaceLimits(1 << 20, 0, 0, 0, 256, 10, 0);
        assertEquals(List.of("0+10 10+10 20+5 100+1"), commands(ten, new BlockRange(0, 25), new BlockRange(100, 1)));
        assertEquals(List.of("4+4294967295 4294967299+2"), commands(NONE, new BlockRange(4, 0xFFFF_FFFFL + 2)));
    }

    @Test
    void shouldHoldNoMoreBlocksInACommandThanTheControllerTakes() {
        NamespaceLimits total = new NamespaceLimits(1 << 20, 0, 0, 0, 256, 10, 15);
        assertEquals(List.of("0+10 10+5", "15+10 30+1"), commands(total, new BlockRange(0, 25), new BlockRange(30, 1)));
    }

    @Test
    void shouldRefuseRangesThatCannotBe() {
        assertThrows(IllegalArgumentException.class, () -> new BlockRange(-1, 1));
        assertThrows(IllegalArgumentException.class, () -> new BlockRange(0, 0));
    }
}
