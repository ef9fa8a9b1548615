/** How results look: text in nvme-cli's manner, JSON with the same names, tables, a progress bar. */
package io.nvmf.tools.output;
