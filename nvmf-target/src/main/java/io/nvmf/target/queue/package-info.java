/** Queues: slots for commands under way, their states, and the memory for their data. Knows no transport. */
package io.nvmf.target.queue;
