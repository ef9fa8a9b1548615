package io.nvmf.initiator.transport;

/**
 * What a connection has to know of its queue.
 *
 * @param name for logs and messages: peer and queue
 * @param sqSizeZeroBased SQSIZE that is wanted, see {@link QueueConnection#sqSizeZeroBased}; no more commands are outstanding
 * @param controllerId CNTLID of the Connect command to come
 */
public record QueueSetup(String name, int queueId, int sqSizeZeroBased, int controllerId, CapsuleLayout capsule) {}
