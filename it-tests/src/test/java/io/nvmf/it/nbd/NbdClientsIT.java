package io.nvmf.it.nbd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nvmf.codec.identify.Nguid;
import io.nvmf.codec.log.TransportType;
import io.nvmf.initiator.NvmfHost;
import io.nvmf.initiator.controller.ConnectOptions;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.target.NvmfTarget;
import io.nvmf.target.backend.memory.MemoryBlockDevice;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.config.SubsystemConfig;
import io.nvmf.target.config.TargetConfig;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.tools.nbd.NbdAddress;
import io.nvmf.tools.nbd.NbdExport;
import io.nvmf.tools.nbd.NbdServer;
import io.nvmf.transport.EventLoops;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A namespace served by NBD, by the clients of QEMU and libnbd. */
@Timeout(300)
class NbdClientsIT {
    private static final String NQN = "nqn.2026-01.io.nvmf:nbd";
    private static final int SIZE = 40 << 20;

    @TempDir
    private Path directory;

    private NvmfTarget target;
    private EventLoops loops;
    private NvmfHost host;
    private Controller controller;

    @BeforeEach
    void start() throws IOException {
        for (String tool : List.of("qemu-img", "qemu-io", "nbdinfo", "nbdcopy")) {
            assumeTrue(isInstalled(tool), tool + " is not installed: apt-get install qemu-utils libnbd-bin");
        }
        List<NamespaceConfig> namespaces = List.of(
                new NamespaceConfig(1, new MemoryBlockDevice(SIZE), 512, new UUID(1, 1), new Nguid(1, 1)),
                new NamespaceConfig(2, new MemoryBlockDevice(SIZE), 4096, new UUID(1, 2), new Nguid(1, 2)));
        InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        target = NvmfTarget.start(new TargetConfig(
                List.of(new ListenerConfig(1, TransportType.TCP, anyPort, Set.of(NQN))),
                List.of(new SubsystemConfig(NQN, "serial", "model", true, Set.of(), namespaces)),
                new TargetLimits(128, 8, 8192, 1 << 20, 32 << 20, 2)));
        loops = EventLoops.openForSockets(1, "test-nbd");
        host = NvmfHost.builder().ioThreads(2).build();
        controller = host.connect(
                ConnectOptions.of(TransportType.TCP, target.addresses().get(0), NQN)
                        .ioQueues(2));
    }

    @AfterEach
    void stop() {
        if (target != null) {
            host.close();
            loops.close();
            target.close();
        }
    }

    private static boolean isInstalled(String tool) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(place -> Files.isExecutable(Path.of(place, tool)));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void shouldKeepWhatClientsWrite(long nsid) throws Exception {
        NbdAddress address = NbdAddress.parse("unix:" + directory.resolve("socket"));
        NbdExport export =
                new NbdExport(controller.namespace(nsid), "", "", false, NbdExport.USUAL_MAX_REQUEST_BYTES, true, true);
        byte[] data = new byte[SIZE];
        new Random(nsid).nextBytes(data);
        Path image = Files.write(directory.resolve("image"), data);
        try (NbdServer server = NbdServer.open(loops, address, export)) {
            String uri = address.uri("");
            String info = run("nbdinfo", uri);
            assertTrue(info.contains("export-size: " + SIZE), info);
            assertTrue(info.contains("block_size_minimum: " + (nsid == 1 ? 512 : 4096)), info);
            assertTrue(info.contains("can_multi_conn: true"), info);
            run("qemu-img", "convert", "-n", "-f", "raw", "-O", "raw", image.toString(), uri);
            run("qemu-img", "compare", "-f", "raw", "-F", "raw", image.toString(), uri);
            Path copy = directory.resolve("copy");
            run("nbdcopy", "--connections=4", uri, copy.toString());
            assertEquals(-1, Files.mismatch(image, copy));
            run(
                    "qemu-io",
                    "-f",
                    "raw",
                    "-c",
                    "write -P 0xab 1M 1M",
                    "-c",
                    "write -f -P 0x11 8k 4k",
                    "-c",
                    "write -P 5 513 100",
                    "-c",
                    "flush",
                    "-c",
                    "discard 2M 1M",
                    "-c",
                    "write -z 3M 64k",
                    "-c",
                    "write -z -u 4M 64k",
                    "-c",
                    "read -P 0xab 1M 1M",
                    "-c",
                    "read -P 0x11 8k 4k",
                    "-c",
                    "read -P 5 513 100",
                    "-c",
                    "read -P 0 3M 64k",
                    "-c",
                    "read -P 0 4M 64k",
                    "-c",
                    "write -P 6 0 33M",
                    "-c",
                    "read -P 6 0 33M",
                    uri);
            assertTrue(server.connections() <= 1, "the clients have left");
        }
    }

    /** What a program says, which must be content. */
    private String run(String... command) throws Exception {
        Path output = directory.resolve("output");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertTrue(process.waitFor(120, TimeUnit.SECONDS), "late: " + String.join(" ", command));
        } finally {
            process.destroyForcibly();
        }
        String said = Files.readString(output, StandardCharsets.UTF_8);
        assertEquals(0, process.exitValue(), said);
        assertTrue(!said.contains("failed") && !said.contains("error"), said);
        return said;
    }
}
