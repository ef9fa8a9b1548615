package io.nvmf.tools.nbd;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.util.NetUtil;
import io.nvmf.tools.CommandException;
import io.nvmf.tools.HostPort;
import io.nvmf.tools.UsageException;
import io.nvmf.transport.EventLoops;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Where NBD clients connect: {@code tcp://127.0.0.1:10809} or {@code unix:/run/disk.sock}.
 *
 * @param path of a UNIX socket, or null
 * @param tcp null when there is a path
 */
public record NbdAddress(Path path, InetSocketAddress tcp) {
    private static final int DEFAULT_PORT = 10809;
    private static final String UNIX = "unix:";
    private static final String TCP = "tcp://";

    /** Reads one; a host name is looked up. */
    public static NbdAddress parse(String text) throws CommandException {
        if (text.startsWith(UNIX) && text.length() > UNIX.length()) {
            return new NbdAddress(Path.of(text.substring(UNIX.length())), null);
        }
        if (!text.startsWith(TCP)) {
            throw new UsageException("--nbd '" + text
                    + "' does not start with tcp:// or unix:; write it as tcp://ADDRESS:PORT or unix:/PATH");
        }
        HostPort hostPort = HostPort.parse(text.substring(TCP.length()), DEFAULT_PORT);
        try {
            return new NbdAddress(null, new InetSocketAddress(InetAddress.getByName(hostPort.host()), hostPort.port()));
        } catch (UnknownHostException e) {
            throw new CommandException(
                    "--nbd '" + text + "' names the unknown host " + hostPort.host() + "; give an address", e);
        }
    }

    ServerBootstrap bootstrap(EventLoops loops) {
        return path == null ? loops.serverBootstrap() : loops.localServerBootstrap();
    }

    /** How a client is called in the log. One that has reset its connection since has no address. */
    String peer(Channel channel) {
        SocketAddress client = channel.remoteAddress();
        return path != null || client == null
                ? "a client of " + this
                : NetUtil.toSocketAddressString((InetSocketAddress) client);
    }

    /** The same with the port that was taken. */
    public NbdAddress bound(SocketAddress local) {
        return path != null
                ? this
                : new NbdAddress(null, new InetSocketAddress(tcp.getAddress(), ((InetSocketAddress) local).getPort()));
    }

    /** As clients write it: {@code nbd://127.0.0.1:10809/NAME}, {@code nbd+unix:///NAME?socket=/run/disk.sock}. */
    public String uri(String exportName) {
        return path != null
                ? "nbd+unix:///" + encode(exportName) + "?socket="
                        + encode(path.toAbsolutePath().toString())
                : "nbd://" + new HostPort(NetUtil.toAddressString(tcp.getAddress()), tcp.getPort())
                        + (exportName.isEmpty() ? "" : "/" + encode(exportName));
    }

    /** Percent-encoded but for what stands for itself everywhere in a path or query (RFC 3986). */
    private static String encode(String text) {
        StringBuilder encoded = new StringBuilder();
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            boolean isPlain = each >= 'a' && each <= 'z'
                    || each >= 'A' && each <= 'Z'
                    || each >= '0' && each <= '9'
                    || "-._~/".indexOf(each) >= 0;
            encoded.append(isPlain ? String.valueOf((char) each) : String.format("%%%02X", each));
        }
        return encoded.toString();
    }

    @Override
    public String toString() {
        return path != null
                ? UNIX + path
                : TCP + new HostPort(NetUtil.toAddressString(tcp.getAddress()), tcp.getPort());
    }
}
