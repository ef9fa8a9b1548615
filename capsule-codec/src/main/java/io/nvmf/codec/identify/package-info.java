/** The Identify command and its data structures (NVMe Base 2.0 s5.17, NVM Command Set 1.0 s4.1.5). */
package io.nvmf.codec.identify;
