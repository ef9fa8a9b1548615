/**
 * The raw door: any bytes to a target, and whatever comes back, for programs that test targets. Nothing here keeps the
 * specification on its own; everything is one connection, blocking, and owned by the thread that uses it.
 */
package io.nvmf.initiator.raw;
