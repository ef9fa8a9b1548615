/** The checks: a class a suite, a method a check. */
package io.nvmf.conformance.suite;
