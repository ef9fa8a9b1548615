package io.nvmf.it;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Status;
import io.nvmf.codec.identify.Nguid;
import io.nvmf.codec.log.TransportType;
import io.nvmf.initiator.NvmfHost;
import io.nvmf.initiator.controller.ConnectOptions;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.initiator.queue.IoCallback;
import io.nvmf.initiator.transport.NvmfException;
import io.nvmf.target.NvmfTarget;
import io.nvmf.target.backend.memory.MemoryBlockDevice;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.config.SubsystemConfig;
import io.nvmf.target.config.TargetConfig;
import io.nvmf.target.config.TargetLimits;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A subsystem that is deleted, and listeners that come and go, while several hosts are at work. */
@Timeout(120)
class SubsystemUnderLoadTest {
    private static final String NQN = "nqn.2026-01.io.nvmf:load";
    private static final String OTHER_NQN = "nqn.2026-01.io.nvmf:stays";
    private static final int HOSTS = 3;
    private static final int DEPTH = 32;
    private static final int REQUEST_BYTES = 64 << 10;

    private NvmfTarget target;

    @BeforeEach
    void serve() throws IOException {
        target = NvmfTarget.start(new TargetConfig(
                List.of(new ListenerConfig(1, TransportType.TCP, anyPort(), Set.of(NQN, OTHER_NQN))),
                List.of(subsystem(NQN, 1), subsystem(OTHER_NQN, 2)),
                new TargetLimits(128, 8, 8192, 1 << 20, 64L << 20, 2)));
    }

    @AfterEach
    void stop() {
        target.close();
    }

    private static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private static SubsystemConfig subsystem(String nqn, long id) {
        NamespaceConfig namespace =
                new NamespaceConfig(1, new MemoryBlockDevice(64 << 20), 512, new UUID(7, id), new Nguid(7, id));
        return new SubsystemConfig(nqn, "LOAD" + id, "nvmf4j test", true, Set.of(), List.of(namespace));
    }

    private static NvmfHost host() {
        return NvmfHost.builder().hostId(UUID.randomUUID()).ioThreads(1).build();
    }

    private ConnectOptions to(String nqn) {
        return ConnectOptions.of(TransportType.TCP, target.addresses().get(0), nqn)
                .ioQueues(2);
    }

    /** Writes and reads, each request followed by another, until one fails. */
    private static final class Load implements AutoCloseable {
        private final NvmfHost host = host();
        private final Controller controller;
        private final Namespace namespace;
        private final AtomicInteger outstanding = new AtomicInteger();
        private final AtomicLong done = new AtomicLong();
        private final AtomicInteger unexpected = new AtomicInteger();

        Load(ConnectOptions options) {
            controller = host.connect(options);
            namespace = controller.namespace(1);
            for (int i = 0; i < DEPTH; i++) {
                outstanding.incrementAndGet();
                new Request(i).submit();
            }
        }

        private final class Request implements IoCallback {
            private final ByteBuffer data = ByteBuffer.allocateDirect(REQUEST_BYTES);
            private final int index;

            Request(int index) {
                this.index = index;
            }

            void submit() {
                long block = (long) index * REQUEST_BYTES / 512;
                boolean accepted = (done.get() & 1) == 0
                        ? namespace.submitWrite(index % 2, block, data, false, this)
                        : namespace.submitRead(index % 2, block, data, this);
                if (!accepted) {
                    unexpected.incrementAndGet();
                    outstanding.decrementAndGet();
                }
            }

            @Override
            public void onComplete(int status, long result) {
                if (Status.isSuccess(status)) {
                    done.incrementAndGet();
                    submit();
                    return;
                }
                unexpected.addAndGet(Status.sct(status) == Status.TYPE_PATH ? 0 : 1);
                outstanding.decrementAndGet();
            }
        }

        @Override
        public void close() {
            host.close();
        }
    }

    @Test
    void shouldEndTheRequestsOfAllHostsWhenASubsystemIsDeletedAndKeepNothing() throws Exception {
        int descriptors = new File("/proc/self/fd").list().length;
        try (Load bystander = new Load(to(OTHER_NQN))) {
            List<Load> loads = new ArrayList<>();
            for (int i = 0; i < HOSTS; i++) {
                loads.add(new Load(to(NQN)));
            }
            for (Load load : loads) {
                await().until(() -> load.done.get() > 2 * DEPTH);
            }
            target.administration().deleteSubsystem(NQN);
            for (Load load : loads) {
                load.controller.ended().get(20, TimeUnit.SECONDS);
                await().until(() -> load.outstanding.get() == 0);
                assertEquals(0, load.unexpected.get(), "requests end because the connection does");
                load.close();
            }
            try (NvmfHost host = host()) {
                assertThrows(NvmfException.class, () -> host.connect(to(NQN)));
            }
            long before = bystander.done.get();
            await().until(() -> bystander.done.get() > before + DEPTH);
            assertEquals(DEPTH, bystander.outstanding.get(), "nobody else is disturbed");

            target.administration().createSubsystem(subsystem(NQN, 1));
            target.administration()
                    .addListener(NQN, TransportType.TCP, target.addresses().get(0));
            try (Load again = new Load(to(NQN))) {
                await().until(() -> again.done.get() > DEPTH);
            }
        }
        await().untilAsserted(() -> assertEquals(List.of(), target.queues()));
        await().untilAsserted(
                        () -> assertEquals(descriptors, new File("/proc/self/fd").list().length, "file descriptors"));
    }

    @Test
    void shouldServeThoseWhoStayWhileListenersComeAndGoUnderConnects() throws Exception {
        try (Load bystander = new Load(to(NQN));
                NvmfHost host = host()) {
            for (int i = 0; i < 20; i++) {
                InetSocketAddress address = target.administration()
                        .addListener(NQN, TransportType.TCP, anyPort())
                        .address();
                var connecting = host.connectAsync(ConnectOptions.of(TransportType.TCP, address, NQN));
                if (i % 2 == 0) {
                    connecting.get(20, TimeUnit.SECONDS);
                }
                target.administration().removeListener(NQN, TransportType.TCP, address);
                // Connected, and then ended, or refused: but told.
                var told = connecting.handle((controller, failure) -> controller);
                Controller controller = told.get(20, TimeUnit.SECONDS);
                if (controller != null) {
                    controller.ended().get(20, TimeUnit.SECONDS);
                }
            }
            long before = bystander.done.get();
            await().atMost(Duration.ofSeconds(20)).until(() -> bystander.done.get() > before + DEPTH);
            assertTrue(bystander.controller.isLive());
            assertEquals(1, target.administration().controllers(NQN).size());
        }
    }
}
