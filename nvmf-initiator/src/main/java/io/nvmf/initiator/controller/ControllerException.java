package io.nvmf.initiator.controller;

import io.nvmf.initiator.transport.NvmfException;

/** A controller says or does what this host cannot work with. */
public final class ControllerException extends NvmfException {
    public ControllerException(String message) {
        super(message, null);
    }
}
