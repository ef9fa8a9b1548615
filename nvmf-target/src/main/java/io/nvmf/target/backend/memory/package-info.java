/** A block device in the Java heap. */
package io.nvmf.target.backend.memory;
