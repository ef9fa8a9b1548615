package io.nvmf.initiator.controller;

import io.nvmf.initiator.queue.HostQueue;
import java.util.List;

/**
 * A controller as it is connected once: what ends with its association.
 *
 * @param keepAlive null if none is sent
 * @param ioQueues those that the controller granted
 */
record Link(
        Association association,
        HostQueue adminQueue,
        AdminCommands admin,
        ControllerFacts facts,
        KeepAlive keepAlive,
        List<HostQueue> ioQueues) {}
