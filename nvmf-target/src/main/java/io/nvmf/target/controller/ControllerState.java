package io.nvmf.target.controller;

import io.nvmf.codec.fabrics.ControllerStatus;

/** What a controller is able to do, and the CSTS that says so. */
enum ControllerState {
    /** CC.EN is 0: only fabrics commands are served. */
    DISABLED(0),
    /** CC.EN is 1 and every command is served. */
    READY(ControllerStatus.READY),
    /** CC.EN is 0 again, and commands of I/O queues are still executed. */
    RESETTING(ControllerStatus.READY),
    /** A configuration that cannot be, or a host that fell silent; only a reset leads out. */
    FATAL(ControllerStatus.FATAL);

    private final long csts;

    ControllerState(long csts) {
        this.csts = csts;
    }

    long csts() {
        return csts;
    }
}
