/**
 * The conformance harness: {@link io.nvmf.conformance.Runner} runs the checks of {@link io.nvmf.conformance.Catalog} against
 * a target, any target, and {@code .report} says what came of it. The checks themselves are in {@code .suite}, a class a
 * suite.
 */
package io.nvmf.conformance;
