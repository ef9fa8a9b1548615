/** The Get Log Page command and the log pages (NVMe Base 2.0 s5.16). */
package io.nvmf.codec.log;
