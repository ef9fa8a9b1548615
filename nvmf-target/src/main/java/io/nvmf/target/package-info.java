/** The NVMe over Fabrics target: {@link io.nvmf.target.NvmfTarget} and the records that configure it. */
package io.nvmf.target;
