/** What came of a run, for people and programs: text, JSON, JUnit XML, one HTML page, and a file of its trace for each check. */
package io.nvmf.conformance.report;
