/** Copies between namespaces and byte streams: several requests on their way, bounded memory, data in order. */
package io.nvmf.tools.transfer;
