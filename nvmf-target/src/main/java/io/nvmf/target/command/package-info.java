/** Commands: what each opcode checks and does. Handlers know nothing of transports. */
package io.nvmf.target.command;
