package io.nvmf.tools;

import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A host and a port as in a URI.
 *
 * @param host a name, an IPv4 address, or an IPv6 address without its brackets
 * @param port 0 to 65535
 */
public record HostPort(String host, int port) {
    private static final Pattern FORM = Pattern.compile("(?:\\[([^\\[\\]/]+)]|([^:/\\[\\]]+))(?::(\\d{1,5}))?");

    /**
     * Reads {@code host}, {@code host:port} or {@code [ipv6]:port}.
     *
     * @throws UsageException if it has another form
     */
    public static HostPort parse(String text, int defaultPort) throws UsageException {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new UsageException("address '" + text + "' is not HOST:PORT, with an IPv6 address in brackets");
        }
        int port = matcher.group(3) == null ? defaultPort : Integer.parseInt(matcher.group(3));
        if (port > 0xFFFF) {
            throw new UsageException("port " + port + " of '" + text + "' is not between 0 and 65535");
        }
        return new HostPort(matcher.group(1) != null ? matcher.group(1) : matcher.group(2), port);
    }

    /** As {@link #toString} should show it: a name if the address was made of one. */
    static HostPort of(InetSocketAddress remote) {
        String name = remote.getHostString();
        return new HostPort(
                NetUtil.isValidIpV6Address(name) ? NetUtil.toAddressString(remote.getAddress()) : name,
                remote.getPort());
    }

    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
