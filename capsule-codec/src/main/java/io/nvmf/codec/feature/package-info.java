/** The Set Features, Get Features and Asynchronous Event Request commands (NVMe Base 2.0 s5.2, s5.15, s5.27). */
package io.nvmf.codec.feature;
