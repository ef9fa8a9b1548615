package io.nvmf.tools.perf;

import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.tools.CommandException;
import io.nvmf.tools.Failures;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToLongFunction;

/** A workload on several namespaces at once: warm-up, measurement, end. One object for one run. */
public final class Load {
    /**
     * A namespace under load.
     *
     * @param name for people
     * @param identity the same for the same namespace by whatever way
     * @param ioQueues of its controller, each with a stream on a part of the namespace of its own
     * @param firstByte and {@code lengthBytes} are whole blocks
     * @param memory direct, at least {@link #memoryBytes}; requests use it until the run is over
     */
    public record Place(
            String name,
            String identity,
            Namespace namespace,
            int ioQueues,
            long firstByte,
            long lengthBytes,
            ByteBuffer memory) {}

    /**
     * How long, and how much at a time.
     *
     * @param depth requests that are out at a time for each namespace, not fewer than queues
     * @param timeMs without a number of requests
     * @param patienceMs how long requests that are out at the end may take before they are given up
     */
    public record Extent(int depth, long warmUpMs, long timeMs, long patienceMs) {}

    /** Hears once a second, on the thread that runs, how the measurement gets on. */
    @FunctionalInterface
    public interface Progress {
        void onSecond(Second second);
    }

    /**
     * What the last second brought.
     *
     * @param isMeasuring false in the warm-up, which counts nothing
     * @param lengthNs a second, or what was left of the time
     * @param elapsedNs since the warm-up or the measurement began
     */
    public record Second(boolean isMeasuring, long requests, long bytes, long lengthNs, long elapsedNs) {}

    /** As many blocks of each queue's part of a namespace can be verified. */
    public static final int MAX_VERIFIED_BLOCKS = Ledger.MAX_BLOCKS;

    private static final long SECOND_MS = 1000;

    /** Who interrupts will not wait for long; requests to a target that answers are done by then. */
    private static final long INTERRUPTED_PATIENCE_MS = SECOND_MS;

    private static final int PAGE_BYTES = 4096;

    private final int number = ThreadLocalRandom.current().nextInt();
    private final Workload workload;
    private final Extent extent;
    private final Progress progress;
    private final List<Place> places;
    private final List<List<Stream>> streams = new ArrayList<>();
    private final CountDownLatch finished;
    private final AtomicReference<String> failure = new AtomicReference<>();
    private volatile long endNs;
    private volatile boolean ending;
    /** Of the thread that runs it, as is the next. */
    private boolean measuring;

    private boolean interrupted;

    public Load(List<Place> places, Workload workload, Extent extent, Progress progress) {
        this.places = List.copyOf(places);
        this.workload = workload;
        this.extent = extent;
        this.progress = progress;
        for (Place place : places) {
            streams.add(streamsOf(place));
        }
        finished = new CountDownLatch(streams.stream().mapToInt(List::size).sum());
    }

    /** How much memory the requests of one namespace take. */
    public static long memoryBytes(Workload workload, int depth) {
        return (long) depth * slotBytes(workload);
    }

    private static int slotBytes(Workload workload) {
        return (workload.sizes().largest() + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    }

    private List<Stream> streamsOf(Place place) {
        int queues = Math.min(place.ioQueues, extent.depth);
        int blockBytes = place.namespace.blockSizeBytes();
        long partBytes = place.lengthBytes / queues / blockBytes * blockBytes;
        List<Stream> made = new ArrayList<>();
        int slot = 0;
        for (int i = 0; i < queues; i++) {
            ByteBuffer[] buffers = new ByteBuffer[share(extent.depth, queues, i)];
            for (int j = 0; j < buffers.length; j++) {
                buffers[j] = place.memory.slice(
                        slot++ * slotBytes(workload), workload.sizes().largest());
            }
            made.add(new Stream(
                    this,
                    place.namespace,
                    i,
                    workload,
                    new Stream.Part(place.firstByte + i * partBytes, partBytes),
                    buffers,
                    (workload.requests() * (i + 1)) / queues - workload.requests() * i / queues,
                    (double) workload.ratePerSecond() / queues));
        }
        return made;
    }

    private static int share(int whole, int parts, int index) {
        return whole / parts + (index < whole % parts ? 1 : 0);
    }

    // ---- The thread that runs it

    /**
     * Runs and waits until the last request is done or given up. An interrupt of its thread ends the measurement, or the wait,
     * early.
     *
     * @return what was measured, until something failed or there was an interrupt
     * @throws InterruptedException before anything was measured
     * @throws CommandException if a request failed or its data was wrong before one was measured
     */
    public Outcome run() throws InterruptedException, CommandException {
        if (extent.warmUpMs > 0) {
            allStreams().forEach(Stream::onPhase);
            await(System.nanoTime(), extent.warmUpMs);
        }
        long startNs = System.nanoTime();
        long startCpuNs = processCpuNs();
        measuring = !interrupted;
        allStreams().forEach(measuring ? Stream::onMeasure : Stream::onPhase);
        await(startNs, workload.requests() > 0 ? Long.MAX_VALUE : extent.timeMs);
        end();
        long cpuNs = processCpuNs() - startCpuNs;
        boolean nothingMeasured = !measuring;
        measuring = false;
        allStreams().forEach(Stream::onPhase);
        awaitAnswers();
        long unanswered =
                allStreams().stream().mapToLong(stream -> stream.unanswered).sum();
        if (unanswered > 0 && !interrupted) {
            fail(unanswered + (unanswered == 1 ? " request" : " requests") + " had no answer "
                    + TimeUnit.MILLISECONDS.toSeconds(extent.patienceMs) + " s after the end");
        }
        Outcome outcome = outcome(new Outcome.Span(endNs - startNs, cpuNs), unanswered);
        if (failure.get() != null && (nothingMeasured || outcome.all().requests() + unanswered == 0)) {
            throw new CommandException(failure.get());
        }
        if (nothingMeasured) {
            throw new InterruptedException();
        }
        return outcome;
    }

    /** When it returns, no stream changes any more. */
    private void awaitAnswers() {
        try {
            long patienceMs = interrupted ? INTERRUPTED_PATIENCE_MS : extent.patienceMs;
            if (finished.await(patienceMs, TimeUnit.MILLISECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            interrupted = true;
        }
        allStreams().forEach(Stream::giveUp);
        while (finished.getCount() > 0) { // which event loops are through with at once, for nothing blocks them
            try {
                finished.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
    }

    private List<Stream> allStreams() {
        return streams.stream().flatMap(List::stream).toList();
    }

    /** Until the time is over, something failed, every request is done, or there was an interrupt. */
    private void await(long startNs, long forMs) {
        long elapsedMs = 0;
        Second last = new Second(measuring, 0, 0, 0, 0);
        long requests = 0;
        long bytes = 0;
        while (elapsedMs < forMs && failure.get() == null && !interrupted) {
            try {
                if (finished.await(Math.min(SECOND_MS, forMs - elapsedMs), TimeUnit.MILLISECONDS)) {
                    return;
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
            long elapsedNs = System.nanoTime() - startNs;
            elapsedMs = TimeUnit.NANOSECONDS.toMillis(elapsedNs);
            if (!measuring) {
                // As when the measurement begins: that loops are woken from outside is compiled, too.
                allStreams().forEach(Stream::onPhase);
            }
            last = new Second(
                    measuring,
                    sum(Tally::requests) - requests,
                    sum(Tally::bytes) - bytes,
                    elapsedNs - last.elapsedNs,
                    elapsedNs);
            requests += last.requests;
            bytes += last.bytes;
            progress.onSecond(last);
        }
    }

    private long sum(ToLongFunction<Tally> value) {
        long sum = 0;
        for (List<Stream> ofPlace : streams) {
            for (Stream stream : ofPlace) {
                sum += value.applyAsLong(stream.reads) + value.applyAsLong(stream.writes);
            }
        }
        return sum;
    }

    private static long processCpuNs() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    private Outcome outcome(Outcome.Span span, long unanswered) {
        List<Outcome.Row> rows = new ArrayList<>();
        long checked = 0;
        long unchecked = 0;
        for (int i = 0; i < places.size(); i++) {
            Tally reads = new Tally();
            Tally writes = new Tally();
            List<Outcome.Queue> queues = new ArrayList<>();
            for (Stream stream : streams.get(i)) {
                reads.add(stream.reads);
                writes.add(stream.writes);
                queues.add(Outcome.Queue.of(Tally.sum(stream.reads, stream.writes)));
                checked += stream.checkedBlocks;
                unchecked += stream.uncheckedBlocks;
            }
            rows.add(new Outcome.Row(places.get(i).name, reads, writes, queues));
        }
        return new Outcome(
                extent.depth,
                workload.ratePerSecond(),
                rows,
                span,
                workload.verify() ? new Outcome.Checks(checked, unchecked) : null,
                Outcome.End.of(failure.get(), interrupted, unanswered));
    }

    // ---- The event loops

    /** Tells its data from that of other runs. */
    int number() {
        return number;
    }

    boolean isEnding() {
        return ending;
    }

    /** When the measurement ended, once the load is ending. */
    long endNs() {
        return endNs;
    }

    void onFinished() {
        finished.countDown();
    }

    /** The first failure ends the load. */
    void fail(String sentence) {
        failure.compareAndSet(null, Failures.plain(sentence));
        end();
    }

    /** What ends it first tells when that was. */
    private synchronized void end() {
        if (!ending) {
            endNs = System.nanoTime();
            ending = true;
        }
    }
}
