package io.nvmf.tools.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.nvmf.tools.CommandException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SizeMixTest {
    @Test
    void shouldTakeEachSizeAsOftenAsItsPercentage() throws CommandException {
        SizeMix mix = SizeMix.parse("--io-size", "4k/60:64k/39:1m/1");
        assertEquals(new SizeMix(List.of(4096, 65536, 1 << 20), List.of(60, 39, 1)), mix);
        SplittableRandom random = new SplittableRandom(7);
        int[] sizes = IntStream.range(0, 100_000).map(i -> mix.next(random)).toArray();
        assertEquals(60_000, count(sizes, 4096), 1000);
        assertEquals(39_000, count(sizes, 65536), 1000);
        assertEquals(1000, count(sizes, 1 << 20), 200);
        assertEquals(4096, mix.smallest());
        assertEquals(1 << 20, mix.largest());
        assertEquals(8192, SizeMix.parse("--io-size", "8k").next(random));
    }

    private static long count(int[] sizes, int size) {
        return IntStream.of(sizes).filter(one -> one == size).count();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 | --io-size 0 is not from one block to 64 MiB",
                "65m | --io-size 65m is not from one block to 64 MiB",
                "4k/60 | --io-size '4k/60': the percentages do not make 100 together",
                "4k/60:8k/50 | --io-size '4k/60:8k/50': the percentages do not make 100 together",
                "4k:8k | --io-size '4k:8k' is neither a size nor a mix as 4k/60:64k/40",
                "4k/x:8k/50 | --io-size '4k/x:8k/50': 'x' is no percentage",
                "4q | --io-size '4q' is not a number of bytes, write it as 4096, 512k, 10m or 2g",
            })
    void shouldRefuseWhatIsNoMix(String text, String sentence) {
        assertEquals(
                sentence,
                assertThrows(CommandException.class, () -> SizeMix.parse("--io-size", text))
                        .getMessage());
    }
}
