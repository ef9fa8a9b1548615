package io.nvmf.initiator.controller;

import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.initiator.namespace.NamespaceLimits;

/**
 * What a controller told when it was connected.
 *
 * @param controllerId CNTLID of the association
 * @param capabilities CAP
 * @param version VS
 * @param configuration CC as this host set it
 */
record ControllerFacts(
        int controllerId,
        long capabilities,
        long version,
        long configuration,
        IdentifyController identify,
        NamespaceLimits limits) {}
