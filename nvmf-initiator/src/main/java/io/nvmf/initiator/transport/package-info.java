/**
 * One connection of one queue, as NVMe/TCP has it. Knows commands, their data and how it travels; knows nothing of
 * controllers. Events go up through {@link io.nvmf.initiator.transport.QueueConnectionListener}.
 */
package io.nvmf.initiator.transport;
