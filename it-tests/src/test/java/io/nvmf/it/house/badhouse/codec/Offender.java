package io.nvmf.it.house.badhouse.codec;

import io.nvmf.it.house.badhouse.target.queue.Above;
import java.net.Socket;

/** A codec with a socket, a clock and a friend upstairs. */
final class Offender {
    Socket socket;
    Above above;
    long now = System.nanoTime();
}
