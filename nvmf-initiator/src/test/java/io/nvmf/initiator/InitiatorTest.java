package io.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.nvmf.initiator.controller.ConnectOptions;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.queue.NvmeStatusException;
import io.nvmf.transport.EventLoops;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A host and a scripted target for each test. */
abstract class InitiatorTest {
    static final String HOST_NQN = "nqn.2024-01.com.example:host";
    static final UUID HOST_ID = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
    static final Duration LONG = Duration.ofSeconds(20);

    ScriptedTarget target;
    NvmfHost host;

    @BeforeEach
    void start() throws Exception {
        target = new ScriptedTarget();
        host = NvmfHost.builder().hostNqn(HOST_NQN).hostId(HOST_ID).ioThreads(2).build();
    }

    @AfterEach
    void stop() throws Exception {
        host.close();
        target.close();
        assertEquals(List.of(), target.faults);
    }

    /** A host on a given kind of event loop; the caller closes it. */
    static NvmfHost newHost(EventLoops.Kind kind) {
        String before = System.getProperty(EventLoops.KIND_PROPERTY, "");
        System.setProperty(EventLoops.KIND_PROPERTY, kind.toString());
        try {
            return NvmfHost.builder().ioThreads(2).build();
        } finally {
            System.setProperty(EventLoops.KIND_PROPERTY, before);
        }
    }

    ConnectOptions options() {
        return ConnectOptions.tcp(target.address(), ScriptedTarget.NQN);
    }

    Controller connect() {
        return host.connect(options());
    }

    static ByteBuffer random(int lengthBytes, long seed) {
        byte[] bytes = new byte[lengthBytes];
        new Random(seed).nextBytes(bytes);
        return ByteBuffer.allocateDirect(lengthBytes).put(bytes).flip();
    }

    static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(buffer.position(), bytes);
        return bytes;
    }

    /** The status a request fails with, flags included. */
    static int statusOf(CompletableFuture<?> failing) {
        CompletionException failure = assertThrows(CompletionException.class, failing::join);
        return ((NvmeStatusException) failure.getCause()).status();
    }

    static void await(java.util.concurrent.Callable<Boolean> condition) {
        Awaitility.await().atMost(LONG).until(condition);
    }
}
