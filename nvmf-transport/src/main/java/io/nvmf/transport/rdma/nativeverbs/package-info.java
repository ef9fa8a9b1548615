/**
 * Verbs through the system's librdmacm and libibverbs, called from Java: exported functions by jnr-ffi, the inline ones
 * through the function pointers that libibverbs keeps in the device's context. No native code of ours. Structures that
 * the libraries read are laid out in direct buffers; {@link io.nvmf.transport.rdma.nativeverbs.Layout} says where.
 */
package io.nvmf.transport.rdma.nativeverbs;
