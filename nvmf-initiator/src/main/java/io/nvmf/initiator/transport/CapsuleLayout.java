package io.nvmf.initiator.transport;

/**
 * What the command capsules of a queue may carry behind their entry.
 *
 * @param dataOffsetBytes where it begins, counted from the end of the entry: 16 x ICDOFF
 * @param dataBytes how much, counted from there; 0 = entries only
 * @param maxDescriptors how many data blocks a command may describe; more than one go into the capsule
 */
public record CapsuleLayout(int dataOffsetBytes, int dataBytes, int maxDescriptors) {}
