/** Handlers of fabrics commands (NVMe-oF 1.1 s3). */
package io.nvmf.target.command.fabrics;
