package io.nvmf.tools.demo;

import org.HdrHistogram.Histogram;

/**
 * How a run over all blocks of one size went.
 *
 * @param latenciesNs from handing a block over to its completion
 */
public record Timing(long bytes, long elapsedNs, Histogram latenciesNs) {}
