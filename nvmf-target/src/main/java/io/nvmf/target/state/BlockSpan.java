package io.nvmf.target.state;

/**
 * Some blocks of a namespace.
 *
 * @param start the first
 * @param end the first behind them
 */
public record BlockSpan(long start, long end) {
    public BlockSpan {
        if (start < 0 || end <= start) {
            throw new IllegalArgumentException("there are no blocks from " + start + " to " + end);
        }
    }
}
