package io.nvmf.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.nvmf.codec.log.TransportType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NamespaceUriTest {
    private static final String NQN = "nqn.2026-01.com.example:disk";

    @Test
    void shouldReadEveryPart() throws CommandException {
        assertEquals(
                new NamespaceUri(TransportType.TCP, new HostPort("10.0.0.1", 4421), NQN, 7),
                NamespaceUri.parse("nvmf-tcp://10.0.0.1:4421/" + NQN + "/7"));
    }

    @Test
    void shouldTakeStandardPortAndNoNamespaceWhenLeftOut() throws CommandException {
        assertEquals(
                new NamespaceUri(TransportType.TCP, new HostPort("storage", 4420), NQN, 0),
                NamespaceUri.parse("nvmf-tcp://storage/" + NQN));
    }

    @Test
    void shouldReadIpv6InBrackets() throws CommandException {
        NamespaceUri uri = NamespaceUri.parse("nvmf-tcp://[fe80::1]:4420/" + NQN + "/1");
        assertEquals("fe80::1", uri.address().host());
        assertEquals(4420, uri.address().port());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nvmf-tcp://10.0.0.1:4421/nqn.2026-01.com.example:disk/7",
                "nvmf-tcp://[::1]:4420/nqn.2026-01.com.example:disk",
                "nvmf-rdma://192.0.2.1:4420/nqn.2026-01.com.example:disk/7",
                "nvmf-rdma://[2001:db8::1]:4420/nqn.2026-01.com.example:disk"
            })
    void shouldWriteWhatItRead(String text) throws CommandException {
        assertEquals(text, NamespaceUri.parse(text).toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"nvmf-tcp://h:4420", "nvmf-tcp://h", "nvmf-tcp://h/"})
    void shouldNameNoSubsystemWhenUriEndsAfterTarget(String text) throws CommandException {
        NamespaceUri uri = NamespaceUri.parse(text);
        assertEquals("", uri.subsystemNqn());
        assertEquals("nvmf-tcp://h:4420", uri.toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tcp://h/n/1 | does not start with nvmf-tcp:// or nvmf-rdma://",
                "nvmf-fc://h/n/1 | names 'fc', which is no transport; there are tcp and rdma",
                "nvmf-tcp://h:0/n/1 | names port 0, on which no target can listen",
                "nvmf-tcp://h//1 | names a namespace and no subsystem",
                "nvmf-tcp://h/n/ | ends with '', which is no namespace ID",
                "nvmf-tcp://h/n/0 | ends with '0', which is no namespace ID",
                "nvmf-tcp://h/n/x | ends with 'x', which is no namespace ID",
                "nvmf-tcp://h/n/4294967295 | ends with '4294967295', which is no namespace ID",
            })
    void shouldSayWhatIsWrong(String text, String problem) {
        CommandException e = assertThrows(CommandException.class, () -> NamespaceUri.parse(text));
        assertEquals(
                "URI '" + text + "' " + problem + "; write it as nvmf-tcp://HOST:PORT/SUBNQN/NSID or nvmf-rdma://...",
                e.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"::1:4420", "h:", "h:x", ":4420", "[::1", "a:b:c"})
    void shouldRefuseAddressOfAnotherForm(String text) {
        CommandException e = assertThrows(CommandException.class, () -> HostPort.parse(text, 1));
        assertEquals("address '" + text + "' is not HOST:PORT, with an IPv6 address in brackets", e.getMessage());
    }

    @Test
    void shouldRefusePortBeyond16Bits() {
        CommandException e = assertThrows(CommandException.class, () -> HostPort.parse("h:65536", 1));
        assertEquals("port 65536 of 'h:65536' is not between 0 and 65535", e.getMessage());
    }
}
