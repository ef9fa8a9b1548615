package io.nvmf.conformance;

import java.util.EnumSet;
import java.util.Set;

/**
 * Which checks may run.
 *
 * @param lowest levels graver than this one or as grave
 * @param allowed what they may do
 * @param skipped checks not to run, by id, and why
 * @param checkMs how long one check may take beyond what it says that it takes, in ms
 */
public record RunOptions(Level lowest, Set<Needs> allowed, SkipList skipped, long checkMs) {
    /** Every level, nothing that does harm. */
    public static RunOptions harmless() {
        return new RunOptions(Level.INFO, EnumSet.noneOf(Needs.class), SkipList.EMPTY, 60_000);
    }

    /** Every level and every check. */
    public static RunOptions everything() {
        return new RunOptions(Level.INFO, EnumSet.allOf(Needs.class), SkipList.EMPTY, 60_000);
    }
}
