package io.nvmf.tools.config;

import io.netty.util.NetUtil;
import io.nvmf.tools.CommandException;
import io.nvmf.tools.HostPort;
import io.nvmf.tools.UsageException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** The value of {@code --listen}: {@code tcp://0.0.0.0:4420}, {@code tcp://[::]:4420}. */
public final class ListenAddress {
    public static final String SCHEME = "tcp://";
    private static final int DEFAULT_PORT = 4420;

    private ListenAddress() {}

    /** Reads one value; a host name is looked up. */
    public static InetSocketAddress parse(String text) throws CommandException {
        if (!text.startsWith(SCHEME)) {
            throw new UsageException(
                    "--listen '" + text + "' does not start with tcp://; write it as tcp://ADDRESS:PORT");
        }
        HostPort hostPort = HostPort.parse(text.substring(SCHEME.length()), DEFAULT_PORT);
        try {
            return new InetSocketAddress(InetAddress.getByName(hostPort.host()), hostPort.port());
        } catch (UnknownHostException e) {
            throw new CommandException(
                    "--listen '" + text + "' names the unknown host " + hostPort.host() + "; give an address", e);
        }
    }

    /** For people: {@code tcp://127.0.0.1:4420}. */
    public static String format(InetSocketAddress address) {
        return SCHEME + new HostPort(NetUtil.toAddressString(address.getAddress()), address.getPort());
    }
}
