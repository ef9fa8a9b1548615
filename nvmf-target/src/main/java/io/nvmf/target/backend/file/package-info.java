/** A block device in a raw image file or on a disk of the machine, through Linux system calls. */
package io.nvmf.target.backend.file;
