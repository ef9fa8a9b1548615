package io.nvmf.transport.rdma.nativeverbs;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/**
 * struct sockaddr_in and sockaddr_in6 (netinet/in.h): the family in the machine's byte order, port and address in the
 * network's.
 *
 * <pre>
 *   bytes  sockaddr_in        bytes  sockaddr_in6
 *   0-1    family 2           0-1    family 10
 *   2-3    port               2-3    port
 *   4-7    address            4-7    flow information
 *                             8-23   address
 *                             24-27  scope (interface), in the machine's order
 * </pre>
 */
final class SocketAddresses {
    static final int BYTES = 28;

    private static final short AF_INET = 2;
    private static final short AF_INET6 = 10;

    private SocketAddresses() {}

    /** @param to little-endian, {@link #BYTES} from {@code offset} are overwritten */
    static void write(InetSocketAddress address, ByteBuffer to, int offset) {
        InetAddress host = address.getAddress();
        to.put(offset, new byte[BYTES]);
        to.put(offset + 2, (byte) (address.getPort() >> 8)).put(offset + 3, (byte) address.getPort());
        if (host instanceof Inet6Address v6) {
            to.putShort(offset, AF_INET6).put(offset + 8, v6.getAddress()).putInt(offset + 24, v6.getScopeId());
        } else {
            to.putShort(offset, AF_INET).put(offset + 4, host.getAddress());
        }
    }

    /** Null if it is none of the two. */
    static InetSocketAddress read(ByteBuffer from, int offset) {
        int port = (from.get(offset + 2) & 0xff) << 8 | from.get(offset + 3) & 0xff;
        try {
            switch (from.getShort(offset)) {
                case AF_INET:
                    return new InetSocketAddress(InetAddress.getByAddress(bytes(from, offset + 4, 4)), port);
                case AF_INET6:
                    int scope = from.getInt(offset + 24);
                    byte[] address = bytes(from, offset + 8, 16);
                    return new InetSocketAddress(
                            scope == 0
                                    ? InetAddress.getByAddress(address)
                                    : Inet6Address.getByAddress(null, address, scope),
                            port);
                default:
                    return null;
            }
        } catch (UnknownHostException e) {
            throw new AssertionError("of a right length, hence an address", e);
        }
    }

    private static byte[] bytes(ByteBuffer from, int offset, int length) {
        byte[] bytes = new byte[length];
        from.get(offset, bytes);
        return bytes;
    }
}
