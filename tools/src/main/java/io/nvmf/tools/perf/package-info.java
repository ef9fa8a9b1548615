/**
 * {@code nvmf perf}: what load is put on namespaces, how it is carried out on the event loops of the host, and how what came
 * of it is told. {@link io.nvmf.tools.perf.Workload} says what to do, a {@link io.nvmf.tools.perf.Stream} does it on one I/O
 * queue, {@link io.nvmf.tools.perf.Load} runs the streams of all namespaces through warm-up and measurement, {@link
 * io.nvmf.tools.perf.Outcome} is what one measurement found, {@link io.nvmf.tools.perf.Measured} all of a command, which the
 * three reports tell.
 */
package io.nvmf.tools.perf;
