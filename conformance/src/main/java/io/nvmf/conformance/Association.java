package io.nvmf.conformance;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.fabrics.ControllerConfiguration;
import io.nvmf.codec.fabrics.ControllerStatus;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.fabrics.PropertyCommand;
import io.nvmf.codec.identify.IdentifyCommand;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.RawQueue;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;

/** A controller and the queues that a check has of it. */
public final class Association {
    /** Depth of admin queues, and of I/O queues unless a check wants another. */
    public static final int DEPTH = 32;

    private final Bench bench;
    private final RawQueue admin;
    private final ConnectSpec spec;
    private int controllerId;
    private int nextQueueId = 1;

    Association(Bench bench, RawQueue admin, ConnectSpec spec) {
        this.bench = bench;
        this.admin = admin;
        this.spec = spec;
    }

    public RawQueue admin() {
        return admin;
    }

    /** CNTLID as Connect said it. */
    public int controllerId() {
        return controllerId;
    }

    /** Connects the admin queue and nothing more. */
    Association connect() throws IOException {
        controllerId = (int) bench.expectSuccess(bench.connect(admin, spec), "Connect of the admin queue")
                        .dw0()
                & 0xFFFF;
        return this;
    }

    /** Sets CC.EN and waits for CSTS.RDY, as long as CAP.TO says. */
    public Association enable() throws IOException {
        long cap = property(Property.CAP);
        setProperty(Property.CC, ControllerConfiguration.ENABLE | ControllerConfiguration.ENTRY_SIZES);
        awaitReady(true, Math.max(500, (cap >>> 24 & 0xFF) * 500));
        return this;
    }

    /** Waits until CSTS.RDY is as wanted; fails when it does not become so in time. */
    public void awaitReady(boolean ready, long timeoutMs) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        long status = property(Property.CSTS);
        while (ControllerStatus.isReady(status) != ready) {
            if (System.nanoTime() > deadline) {
                throw new CheckFailure(
                        "CSTS.RDY to become " + (ready ? 1 : 0) + " within " + timeoutMs + " ms",
                        "CSTS " + Long.toHexString(status) + "h");
            }
            Bench.pause(10);
            status = property(Property.CSTS);
        }
    }

    /** One more I/O queue, connected. */
    public RawQueue io() throws IOException {
        return io(DEPTH);
    }

    /** One more I/O queue, connected, with this many entries. */
    public RawQueue io(int depth) throws IOException {
        return io(nextQueueId++, depth);
    }

    /** An I/O queue with this QID, connected. */
    public RawQueue io(int queueId, int depth) throws IOException {
        RawQueue queue = bench.queue(queueId, depth);
        bench.expectSuccess(
                bench.connect(queue, ioSpec(queueId).sqSizeZeroBased(depth - 1)), "Connect of I/O queue " + queueId);
        return queue;
    }

    /** What Connect of an I/O queue says, to be changed. */
    public ConnectSpec ioSpec(int queueId) {
        return spec.ofQueue(queueId).controllerId(controllerId);
    }

    /** A property; fails when it cannot be had. */
    public long property(Property property) throws IOException {
        Sqe sqe = Sqe.allocate();
        PropertyCommand.encodeGet(sqe, property);
        return bench.expectSuccess(bench.execute(admin, sqe, Payload.NONE), "Property Get of " + property)
                .result();
    }

    /** Sets a property; fails when that is refused. */
    public void setProperty(Property property, long value) throws IOException {
        Sqe sqe = Sqe.allocate();
        PropertyCommand.encodeSet(sqe, property, value);
        bench.expectSuccess(bench.execute(admin, sqe, Payload.NONE), "Property Set of " + property);
    }

    /** An admin command with data to come. */
    public Answer admin(Sqe sqe, int lengthBytes) throws IOException {
        return bench.execute(admin, sqe, Payload.in(lengthBytes));
    }

    /** An admin command without data. */
    public Answer admin(Sqe sqe) throws IOException {
        return bench.execute(admin, sqe, Payload.NONE);
    }

    /** Identify, whatever becomes of it. */
    public Answer identify(int cns, long nsid) throws IOException {
        return admin(IdentifyCommand.encode(Sqe.allocate(), cns, nsid, 0, 0), IdentifyCommand.DATA_BYTES);
    }

    /** Identify that must succeed: its data, little-endian. */
    public ByteBuffer identified(int cns, long nsid) throws IOException {
        Answer answer = bench.expectSuccess(identify(cns, nsid), "Identify CNS " + Integer.toHexString(cns) + "h");
        return ByteBuffer.wrap(answer.data()).order(ByteOrder.LITTLE_ENDIAN);
    }
}
