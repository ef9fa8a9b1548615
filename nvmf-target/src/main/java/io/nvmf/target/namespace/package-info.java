/** Namespaces: blocks of a device under an NSID, and how an event loop reaches them. */
package io.nvmf.target.namespace;
