package io.nvmf.initiator.controller;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.StatusNames.Kind;
import io.nvmf.codec.identify.IdentifyController.Field;
import io.nvmf.initiator.transport.DataDirection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the controller to abort late commands (NVMe Base 2.0 s5.1), no more at a time than it takes (ACL). What could not be
 * asked for has no other consequence than that the command stays late. Owned by the event loop of the admin queue.
 */
final class Aborts {
    private static final Logger LOG = LoggerFactory.getLogger(Aborts.class);
    private static final long NOT_ABORTED = 1;

    private final String name;
    private final AdminCommands admin;
    private final long limit;
    private long outstanding;

    Aborts(String name, AdminCommands admin, ControllerFacts facts) {
        this.name = name;
        this.admin = admin;
        limit = facts.identify().get(Field.ACL) + 1;
    }

    void abort(int queueId, int commandId) {
        if (outstanding >= limit) {
            return;
        }
        outstanding++;
        admin.execute(
                        "Abort",
                        Kind.ADMIN,
                        sqe -> sqe.clear(Opcode.Admin.ABORT).cdw(10, (long) commandId << 16 | queueId),
                        DataDirection.NONE,
                        null)
                .whenComplete((result, failure) -> {
                    outstanding--;
                    if (failure != null) {
                        LOG.debug("{}", name, failure);
                    } else if ((result & NOT_ABORTED) != 0) {
                        LOG.debug("{}: CID {} of queue {} was not aborted", name, commandId, queueId);
                    }
                });
    }
}
