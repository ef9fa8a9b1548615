package io.nvmf.initiator.transport;

/** Which way the data of a command travels: bits 1:0 of its opcode, or of FCTYPE (NVMe Base 2.0 figure 138). */
public enum DataDirection {
    NONE,
    HOST_TO_CONTROLLER,
    CONTROLLER_TO_HOST
}
