package io.nvmf.conformance.fuzz;

/** What is random in a case, and how far its connection has come when the case begins. */
public enum FuzzKind {
    /** Commands on the admin queue of an enabled controller. */
    ADMIN_COMMANDS(Stage.ADMIN, true),
    /** Commands on an I/O queue. */
    IO_COMMANDS(Stage.IO, true),
    /** Fabrics commands on the admin queue of an enabled controller. */
    FABRICS_COMMANDS(Stage.ADMIN, true),
    /** Commands of all kinds before Connect. */
    COMMANDS_BEFORE_CONNECT(Stage.INITIALIZED, true),
    /** PDU headers, from the first PDU of a connection on. */
    PDU_HEADERS(Stage.FRESH, false),
    /** PDU headers on an I/O queue. */
    PDU_HEADERS_OF_IO(Stage.IO, false),
    /** What a host sends from ICReq to its first commands, with some bytes changed, doubled or left out. */
    MUTATIONS(Stage.FRESH, false);

    /** How far a connection has come. */
    enum Stage {
        /** Connected over TCP, nothing sent. */
        FRESH,
        /** After ICReq and ICResp. */
        INITIALIZED,
        /** An admin queue of an enabled controller. */
        ADMIN,
        /** An I/O queue of an enabled controller. */
        IO
    }

    private final Stage stage;
    private final boolean answered;

    FuzzKind(Stage stage, boolean answered) {
        this.stage = stage;
        this.answered = answered;
    }

    Stage stage() {
        return stage;
    }

    /** Whether its PDUs are whole capsules, each of which the target has to complete unless it ends the connection. */
    boolean isAnswered() {
        return answered;
    }
}
