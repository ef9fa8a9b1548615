/**
 * Queues as a host sees them: requests from any thread, commands in slots, callbacks when they are done. Knows nothing of
 * controllers and namespaces.
 */
package io.nvmf.initiator.queue;
