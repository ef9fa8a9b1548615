/** Namespaces: blocks to read and write over the I/O queues of a controller. */
package io.nvmf.initiator.namespace;
