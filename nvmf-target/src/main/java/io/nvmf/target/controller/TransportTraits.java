package io.nvmf.target.controller;

import io.nvmf.codec.identify.IdentifyController;

/**
 * What a controller says of the transport under it.
 *
 * @param inCapsuleDataBytes data that an I/O command may carry in its capsule (IOCCSZ)
 * @param sgls how data may be described (SGLS)
 * @param maxDataDescriptors how many descriptors the data of one command may have (MSDBD)
 */
public record TransportTraits(int inCapsuleDataBytes, int sgls, int maxDataDescriptors) {
    public static TransportTraits tcp(int inCapsuleDataBytes) {
        return new TransportTraits(
                inCapsuleDataBytes,
                IdentifyController.SGLS_ANY_ALIGNMENT
                        | IdentifyController.SGLS_OFFSET
                        | IdentifyController.SGLS_TRANSPORT,
                1);
    }

    public static TransportTraits rdma(int inCapsuleDataBytes, int maxDataDescriptors) {
        return new TransportTraits(
                inCapsuleDataBytes,
                IdentifyController.SGLS_ANY_ALIGNMENT | IdentifyController.SGLS_KEYED | IdentifyController.SGLS_OFFSET,
                maxDataDescriptors);
    }
}
