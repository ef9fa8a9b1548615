package io.nvmf.tools.perf;

import io.nvmf.tools.CommandException;
import io.nvmf.tools.Sizes;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/**
 * How large requests are: one size, or several with a percentage each.
 *
 * @param sizes in bytes
 * @param percents of the requests, one for each size; together 100
 */
public record SizeMix(List<Integer> sizes, List<Integer> percents) {
    private static final int MAX_BYTES = 64 << 20;
    private static final int WHOLE = 100;

    /**
     * Reads {@code 4k}, or {@code 4k/60:64k/40}.
     *
     * @param what names the value in the error
     */
    public static SizeMix parse(String what, String text) throws CommandException {
        List<Integer> sizes = new ArrayList<>();
        List<Integer> percents = new ArrayList<>();
        for (String part : text.split(":", -1)) {
            String[] words = part.split("/", -1);
            if (words.length > 2 || text.contains(":") && words.length != 2) {
                throw new CommandException(what + " '" + text + "' is neither a size nor a mix as 4k/60:64k/40");
            }
            int bytes = Sizes.parseInt(what, words[0]);
            if (bytes < 1 || bytes > MAX_BYTES) {
                throw new CommandException(
                        what + " " + words[0] + " is not from one block to " + Sizes.format(MAX_BYTES));
            }
            sizes.add(bytes);
            percents.add(words.length == 1 ? WHOLE : percent(what, text, words[1]));
        }
        if (percents.stream().mapToInt(Integer::intValue).sum() != WHOLE) {
            throw new CommandException(what + " '" + text + "': the percentages do not make 100 together");
        }
        return new SizeMix(List.copyOf(sizes), List.copyOf(percents));
    }

    private static int percent(String what, String text, String word) throws CommandException {
        if (!word.matches("\\d{1,3}")) {
            throw new CommandException(what + " '" + text + "': '" + word + "' is no percentage");
        }
        return Integer.parseInt(word);
    }

    public int largest() {
        return sizes.stream().mapToInt(Integer::intValue).max().orElseThrow();
    }

    int smallest() {
        return sizes.stream().mapToInt(Integer::intValue).min().orElseThrow();
    }

    /** The size of the next request, in bytes. */
    int next(SplittableRandom random) {
        if (sizes.size() == 1) {
            return sizes.get(0);
        }
        int rest = random.nextInt(WHOLE);
        int i = 0;
        while (rest >= percents.get(i)) {
            rest -= percents.get(i++);
        }
        return sizes.get(i);
    }

    @Override
    public String toString() {
        if (sizes.size() == 1) {
            return Sizes.format(sizes.get(0));
        }
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < sizes.size(); i++) {
            parts.add(Sizes.format(sizes.get(i)) + " " + percents.get(i) + " %");
        }
        return parts.stream().collect(Collectors.joining(", "));
    }
}
