/** Random cases from a seed, each of which can be kept in a file and played again. */
package io.nvmf.conformance.fuzz;
