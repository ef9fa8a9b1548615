package io.nvmf.tools.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.log.TransportType;
import io.nvmf.initiator.NvmfHost;
import io.nvmf.initiator.controller.ConnectOptions;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.backend.BlockDevice;
import io.nvmf.target.backend.memory.MemoryBlockDevice;
import io.nvmf.tools.LoopbackTarget;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A load on a target of this process that never answers. */
class LoadTest {
    private static final int BLOCK_BYTES = 512;
    private static final int DEPTH = 3;
    private static final Workload READS = new Workload(
            Workload.Pattern.RANDREAD, 100, new SizeMix(List.of(BLOCK_BYTES), List.of(100)), 0, 0, 0, false, 1);

    @Test
    void shouldEndWithWhatHadNoAnswerWhenItsTimeIsUp() throws Exception {
        Outcome outcome = run(READS, 0);
        assertEquals(Outcome.How.FAILED, outcome.end().how());
        assertEquals("3 requests had no answer 0 s after the end", outcome.end().failure());
        assertEquals(DEPTH, outcome.end().unanswered());
        assertEquals(DEPTH, outcome.all().errors());
        assertEquals(0, outcome.all().requests());
        assertTrue(outcome.all().latencies().getMinValue() >= TimeUnit.MILLISECONDS.toNanos(99));
    }

    @Test
    void shouldCountWhatHadNoAnswerSinceTheWarmUp() throws Exception {
        Outcome outcome = run(READS, 50);
        assertEquals(DEPTH, outcome.all().errors());
        assertTrue(outcome.all().latencies().getMinValue() >= TimeUnit.MILLISECONDS.toNanos(149));
    }

    private static Outcome run(Workload workload, long warmUpMs) throws Exception {
        try (LoopbackTarget target = LoopbackTarget.serve(BLOCK_BYTES, silent());
                NvmfHost host = NvmfHost.builder().build()) {
            Controller controller =
                    host.connect(ConnectOptions.of(TransportType.TCP, target.address(), LoopbackTarget.NQN)
                            .ioQueues(2));
            ByteBuffer memory = ByteBuffer.allocateDirect((int) Load.memoryBytes(workload, DEPTH));
            Load.Place place = new Load.Place("a", "a", controller.namespace(1), 2, 0, 1 << 20, memory);
            Load.Extent extent = new Load.Extent(DEPTH, warmUpMs, 100, 10);
            return new Load(List.of(place), workload, extent, second -> {}).run();
        }
    }

    /** Memory that takes reads and does nothing. */
    private static BlockDevice silent() {
        BlockDevice memory = new MemoryBlockDevice(1 << 20);
        return (BlockDevice) proxy(BlockDevice.class, (proxy, method, arguments) -> {
            Object answer = method.invoke(memory, arguments);
            return answer instanceof BlockChannel channel ? silent(channel) : answer;
        });
    }

    private static Object silent(BlockChannel channel) {
        return proxy(BlockChannel.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "readNow" -> false;
            case "read" -> null;
            default -> method.invoke(channel, arguments);
        });
    }

    private static Object proxy(Class<?> type, InvocationHandler handler) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
    }
}
