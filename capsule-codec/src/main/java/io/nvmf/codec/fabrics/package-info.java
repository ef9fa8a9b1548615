/** Fabrics commands, their data, and the controller properties (NVMe-oF 1.1 s3, NVMe Base 2.0 s3.1.3 and s6). */
package io.nvmf.codec.fabrics;
