/** The room for SPDK bdevs as a backend of the target; still empty. */
package io.nvmf.spdk;
