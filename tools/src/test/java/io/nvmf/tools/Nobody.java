package io.nvmf.tools;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Addresses where nobody listens, and nobody else can: they are bound as long as the tests run. */
final class Nobody {
    private static final Queue<Socket> BOUND = new ConcurrentLinkedQueue<>();

    private Nobody() {}

    static InetSocketAddress address() throws IOException {
        Socket socket = new Socket();
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        BOUND.add(socket);
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }
}
