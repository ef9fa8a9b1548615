package io.nvmf.target.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScratchBuffersTest {
    private final ScratchBuffers buffers = new ScratchBuffers();

    @Test
    void shouldLetWaitInOrderWhoFindsNone() {
        List<ByteBuf> held = new ArrayList<>();
        for (int i = 0; i < ScratchBuffers.COUNT; i++) {
            buffers.take(held::add);
        }
        List<String> served = new ArrayList<>();
        buffers.take(buffer -> {
            served.add("first");
            held.add(buffer);
        });
        buffers.take(buffer -> {
            served.add("second");
            held.add(buffer);
        });
        assertEquals(List.of(), served);
        buffers.giveBack(held.remove(0));
        assertEquals(List.of("first"), served);
        buffers.giveBack(held.remove(0));
        assertEquals(List.of("first", "second"), served);
        held.forEach(buffers::giveBack);
    }

    @Test
    void shouldServeAnyNumberThatWaitsWithoutGrowingTheStack() {
        List<ByteBuf> held = new ArrayList<>();
        for (int i = 0; i < ScratchBuffers.COUNT; i++) {
            buffers.take(held::add);
        }
        int[] served = {0};
        for (int i = 0; i < 100_000; i++) {
            buffers.take(buffer -> {
                served[0]++;
                buffers.giveBack(buffer);
            });
        }
        held.forEach(buffers::giveBack);
        assertEquals(100_000, served[0]);
    }
}
