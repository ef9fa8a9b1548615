package io.nvmf.initiator.controller;

/** Told how a controller fares, on an event loop: it must not block. */
@FunctionalInterface
public interface ControllerListener {
    /**
     * A state has begun.
     *
     * @param reason why, one sentence
     */
    void onState(Controller controller, ControllerState state, String reason);
}
