package io.nvmf.target;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.IoEventLoop;
import io.nvmf.codec.log.TransportType;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.TargetConfig;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.transport.rdma.ConnectionManager;
import io.nvmf.transport.rdma.RdmaException;
import io.nvmf.transport.rdma.RdmaProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

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

    @Test
    void shouldFailWhenNothingCanBeListenedOn() {
        String message = assertThrows(IOException.class, () -> NvmfTarget.start(config(RDMA), NONE))
                .getMessage();
        assertTrue(message.contains("over RDMA: there is no library"), message);
    }
}
