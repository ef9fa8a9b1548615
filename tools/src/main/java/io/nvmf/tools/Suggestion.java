package io.nvmf.tools;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the word that a mistyped one was probably meant to be. */
public final class Suggestion {
    private Suggestion() {}

    /** The closest candidate, if it is close enough: a third of the letters may be wrong. */
    public static Optional<String> closest(String word, Collection<String> candidates) {
        int tolerance = Math.max(1, word.length() / 3);
        return candidates.stream()
                .filter(candidate ->
                        distance(word, candidate) <= tolerance || (word.length() >= 3 && candidate.startsWith(word)))
                .min(Comparator.<String>comparingInt(candidate -> distance(word, candidate))
                        .thenComparing(Comparator.naturalOrder()));
    }

    /** {@code "; did you mean X?"}, or a hint where to look. */
    public static String didYouMean(String word, Collection<String> candidates, String elsewhere) {
        return closest(word, candidates)
                .map(candidate -> "; did you mean " + candidate + "?")
                .orElse("; " + elsewhere);
    }

    /** Letters to insert, delete, replace or swap with their neighbour. */
    static int distance(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                int replace = d[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                d[i][j] = Math.min(replace, Math.min(d[i - 1][j], d[i][j - 1]) + 1);
                boolean swapped =
                        i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
                if (swapped) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }
}
