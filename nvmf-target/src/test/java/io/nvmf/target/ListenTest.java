package io.nvmf.target;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.IoEventLoop;
import io.netty.util.internal.PlatformDependent;
import io.nvmf.codec.identify.Nguid;
import io.nvmf.codec.log.TransportType;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.config.SubsystemConfig;
import io.nvmf.target.config.TargetConfig;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.transport.rdma.ConnectionManager;
import io.nvmf.transport.rdma.RdmaException;
import io.nvmf.transport.rdma.RdmaProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a target does with listeners that cannot be opened. */
class ListenTest {
    private static final InetSocketAddress ANY = new InetSocketAddress("127.0.0.1", 0);
    private static final ListenerConfig RDMA = new ListenerConfig(1, TransportType.RDMA, ANY, Set.of());
    private static final ListenerConfig TCP = new ListenerConfig(2, TransportType.TCP, ANY, Set.of());

    /** A machine without RDMA. */
    private static final RdmaProvider NONE = new RdmaProvider() {
        @Override
        public String unavailabilityCause() {
            return "there is no library: install it";
        }

        @Override
        public ConnectionManager openConnectionManager(IoEventLoop loop) throws RdmaException {
            throw new RdmaException(unavailabilityCause());
        }
    };

    /** A machine on which something goes wrong that nobody has thought of. */
    private static RdmaProvider failing(Throwable failure, boolean whenAsked) {
        return new RdmaProvider() {
            @Override
            public String unavailabilityCause() {
                if (whenAsked) {
                    PlatformDependent.throwException(failure);
                }
                return null;
            }

            @Override
            public ConnectionManager openConnectionManager(IoEventLoop loop) {
                PlatformDependent.throwException(failure);
                return null;
            }
        };
    }

    private static TargetConfig config(ListenerConfig... listeners) {
        return new TargetConfig(List.of(listeners), List.of(), TargetLimits.DEFAULT);
    }

    @Test
    void shouldServeOverTcpWhenThereIsNoRdma() throws IOException {
        try (NvmfTarget target = NvmfTarget.start(config(RDMA, TCP), NONE)) {
            assertEquals(1, target.listeners().size());
            assertEquals(TransportType.TCP, target.listeners().get(0).transport());
            assertEquals(
                    List.of("cannot listen on 127.0.0.1:0 over RDMA: there is no library: install it"),
                    target.listenFailures());
            try (RawHost host = new RawHost(target.addresses().get(0))) {
                host.connectAdmin("nqn.2014-08.org.nvmexpress.discovery", 0);
            }
        }
    }

    static List<Arguments> failures() {
        Throwable unread = new UncheckedIOException(new IOException("/sys cannot be read"));
        Throwable unlinked = new UnsatisfiedLinkError("no symbol");
        return List.of(
                Arguments.of(unread, true),
                Arguments.of(unread, false),
                Arguments.of(unlinked, true),
                Arguments.of(unlinked, false));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void shouldServeOverTcpWhateverHappensToRdma(Throwable failure, boolean whenAsked) throws IOException {
        try (NvmfTarget target = NvmfTarget.start(config(RDMA, TCP), failing(failure, whenAsked))) {
            assertEquals(TransportType.TCP, target.listeners().get(0).transport());
            String sentence = target.listenFailures().get(0);
            assertTrue(sentence.startsWith("cannot listen on 127.0.0.1:0 over RDMA: an error of our own, "), sentence);
            assertTrue(sentence.contains(failure.getMessage()), sentence);
        }
    }

    @Test
    void shouldCloseWhatIsHalfStarted() {
        HeldDevice device = new HeldDevice();
        NamespaceConfig namespace = new NamespaceConfig(1, device, 512, new UUID(9, 9), new Nguid(9, 9));
        SubsystemConfig subsystem =
                new SubsystemConfig("nqn.2026-01.io.nvmf:test", "SN", "nvmf4j", true, Set.of(), List.of(namespace));
        TargetConfig config = new TargetConfig(List.of(TCP, RDMA), List.of(subsystem), TargetLimits.DEFAULT);
        assertThrows(AssertionError.class, () -> NvmfTarget.start(config, failing(new AssertionError("broken"), true)));
        assertTrue(device.isClosed());
    }

    @Test
    void shouldFailWhenNothingCanBeListenedOn() {
        String message = assertThrows(IOException.class, () -> NvmfTarget.start(config(RDMA), NONE))
                .getMessage();
        assertTrue(message.contains("over RDMA: there is no library"), message);
    }
}
