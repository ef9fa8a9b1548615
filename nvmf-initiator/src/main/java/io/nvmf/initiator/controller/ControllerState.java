package io.nvmf.initiator.controller;

/** What a controller is doing, over all its associations. */
public enum ControllerState {
    /** Commands are carried out. */
    LIVE,
    /** The association was lost; another one is made after a while. Requests wait or fail, see {@link ConnectOptions}. */
    RECONNECTING,
    /** This host shuts the controller down. */
    CLOSING,
    /** All is over; requests fail. */
    CLOSED
}
