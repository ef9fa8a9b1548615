package io.nvmf.transport.rdma.nativeverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class SocketAddressesTest {
    private static final String IPV4 = "0200115c0a090001" + "0000000000000000" + "0000000000000000" + "00000000";
    private static final String IPV6 = "0a00115c00000000" + "fe80000000000000" + "00000000000000ff" + "07000000";

    private final ByteBuffer memory = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);

    private String written(InetSocketAddress address) {
        for (int i = 0; i < memory.capacity(); i++) {
            memory.put(i, (byte) 0x55);
        }
        SocketAddresses.write(address, memory, 8);
        assertEquals(0x55, memory.get(7));
        assertEquals(0x55, memory.get(8 + SocketAddresses.BYTES));
        return HexFormat.of().formatHex(memory.array(), 8, 8 + SocketAddresses.BYTES);
    }

    private InetSocketAddress read(String hex) {
        memory.put(8, HexFormat.of().parseHex(hex));
        return SocketAddresses.read(memory, 8);
    }

    private static InetSocketAddress linkLocal() throws Exception {
        byte[] address = InetAddress.getByName("fe80::ff").getAddress();
        return new InetSocketAddress(Inet6Address.getByAddress(null, address, 7), 4444);
    }

    @Test
    void shouldWriteIpv4() {
        assertEquals(IPV4, written(new InetSocketAddress("10.9.0.1", 4444)));
    }

    @Test
    void shouldWriteIpv6WithItsScope() throws Exception {
        assertEquals(IPV6, written(linkLocal()));
    }

    @Test
    void shouldReadIpv4() {
        assertEquals(new InetSocketAddress("10.9.0.1", 4444), read(IPV4));
    }

    @Test
    void shouldReadIpv6WithItsScope() throws Exception {
        InetSocketAddress read = read(IPV6);
        assertEquals(linkLocal(), read);
        assertEquals(7, ((Inet6Address) read.getAddress()).getScopeId());
    }

    @Test
    void shouldReadHighPorts() {
        assertEquals(65_535, read(IPV4.replace("115c", "ffff")).getPort());
    }

    @Test
    void shouldReadNothingOfAnotherFamily() {
        assertNull(read(IPV4.replace("0200115c", "1b00115c")));
    }
}
