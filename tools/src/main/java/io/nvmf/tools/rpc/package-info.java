/**
 * Administration of a running target: JSON-RPC 2.0 over a UNIX socket, with the method names and parameters of SPDK's target
 * where it has them.
 */
package io.nvmf.tools.rpc;
