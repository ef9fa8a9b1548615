package io.nvmf.tools.config;

import io.netty.util.NetUtil;
import io.nvmf.codec.log.TransportType;
import io.nvmf.tools.CommandException;
import io.nvmf.tools.HostPort;
import io.nvmf.tools.UsageException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** The value of {@code --listen} or {@code --discovery}: {@code tcp://0.0.0.0:4420}, {@code rdma://[::]:4420}. */
public record ListenAddress(TransportType transport, InetSocketAddress address) {
    private static final String SCHEME_END = "://";
    /**
     * Reads one value; a host name is looked up.
     *
     * @param option what it is given by, for errors
     * @param defaultPort when it has none
     */
    public static ListenAddress parse(String option, String text, int defaultPort) throws CommandException {
        int schemeEnd = text.indexOf(SCHEME_END);
        TransportType transport = schemeEnd < 0 ? null : transport(text.substring(0, schemeEnd));
        if (transport == null) {
            throw new UsageException(option + " '" + text
                    + "' does not start with tcp:// or rdma://; write it as tcp://ADDRESS:PORT or rdma://ADDRESS:PORT");
        }
        HostPort hostPort = HostPort.parse(text.substring(schemeEnd + SCHEME_END.length()), defaultPort);
        try {
            return new ListenAddress(
                    transport, new InetSocketAddress(InetAddress.getByName(hostPort.host()), hostPort.port()));
        } catch (UnknownHostException e) {
            throw new CommandException(
                    option + " '" + text + "' names the unknown host " + hostPort.host() + "; give an address", e);
        }
    }

    private static TransportType transport(String name) {
        try {
            return TransportType.named(name);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** As it is read: {@code tcp://127.0.0.1:4420}. */
    @Override
    public String toString() {
        return transport + SCHEME_END + new HostPort(NetUtil.toAddressString(address.getAddress()), address.getPort());
    }
}
