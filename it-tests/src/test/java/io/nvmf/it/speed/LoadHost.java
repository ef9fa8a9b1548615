package io.nvmf.it.speed;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Cqe;
import io.nvmf.codec.Opcode;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.fabrics.ConnectData;
import io.nvmf.codec.identify.Cns;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyNamespace;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.codec.tcp.Capsule;
import io.nvmf.codec.tcp.DataPdu;
import io.nvmf.codec.tcp.PduException;
import io.nvmf.codec.tcp.PduFormat;
import io.nvmf.codec.tcp.PduHeader;
import io.nvmf.codec.tcp.PduType;
import io.nvmf.codec.tcp.R2T;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * The least that a host must do, so that a target is what ends first: keeps so many reads or writes out on one I/O queue of
 * NVMe/TCP, polls without rest, passes over the data and the digests that come and sends the same data again and again. What
 * one read of the socket brings is followed by new commands in one write. Commands are of one kind and length, at random places
 * or in order.
 */
final class LoadHost {
    /** Few system calls, and what is received stays in the processor's cache. */
    private static final int RECEIVE_BUFFER_BYTES = 256 << 10;
    /** As much as the header of each type that is expected. */
    private static final int HEADER_BYTES = 24;

    private static final int ADMIN_ENTRIES = 32;

    /**
     * What to do.
     *
     * @param sizeBytes of each command
     */
    record Work(boolean write, boolean random, int sizeBytes, int depth) {}

    /**
     * @param commands those that ended in the time measured
     * @param allCommands those before and after it, too
     * @param latencies in ns, of the commands in the time measured
     */
    record Result(long commands, long allCommands, double seconds, Histogram latencies) {}

    private final BareQueue queue;
    private final SocketChannel socket;
    private final PduFormat format;
    private final PduFormat received;
    private final Work work;
    private final int blocksEach;
    private final long places;
    private final SplittableRandom random = new SplittableRandom(1);
    private final ByteBuffer in =
            ByteBuffer.allocateDirect(RECEIVE_BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final int headerBytes;
    private final ByteBuffer header = Bytes.allocate(HEADER_BYTES);
    private final Cqe cqe = new Cqe();

    /** As many commands as can be out, ready to send but for what {@link #submit} sets. */
    private final ByteBuffer commands;

    /** The same bytes, to take digests from. */
    private final ByteBuffer digested;

    private final int commandBytes;
    private final Sqe sqe = new Sqe();

    /** Headers of H2CData, their data and its digest by turns, as many as all commands together can be asked for. */
    private final ByteBuffer[] pieces;

    private static final int PARTS_OF_PIECE = 3;

    private int piecesToSend;
    private int digestedPieceBytes;
    private int pieceDigest;

    /** By command identifier: when it was sent, in ns. */
    private final long[] sentNanos;

    private final Histogram latencies = new Histogram(TimeUnit.MINUTES.toNanos(1), 3);
    /** Recorded too, so that nothing is compiled for the first time while measuring. */
    private final Histogram uncounted = new Histogram(TimeUnit.MINUTES.toNanos(1), 3);

    private long submitted;
    private long ended;
    /** Bytes of the present PDU still to be passed over, and the command that ends with them, or -1. */
    private int bytesLeft;

    private int ending = -1;
    private long now;
    private long from;
    private long to;

    /** @param queue an I/O queue, connected; it polls from now on */
    LoadHost(BareQueue queue, long nsid, IdentifyNamespace namespace, IdentifyController controller, Work work)
            throws IOException {
        this.queue = queue;
        socket = queue.socket();
        socket.configureBlocking(false);
        format = queue.format();
        received = queue.received();
        headerBytes = HEADER_BYTES + received.headerDigestBytes(PduType.C2H_DATA);
        this.work = work;
        blocksEach = work.sizeBytes >> namespace.currentLbaFormat().blockShift();
        places = blocksEach == 0 ? 0 : namespace.get(IdentifyNamespace.Field.NSZE) / blocksEach;
        if (places == 0) {
            throw new IOException("namespace " + nsid + " has no room for a command of " + work.sizeBytes + " bytes");
        }
        sentNanos = new long[work.depth];

        int inCapsuleBytes = work.write && work.sizeBytes <= controller.inCapsuleDataBytes() ? work.sizeBytes : 0;
        commandBytes = queue.capsuleBytes(inCapsuleBytes);
        commands = anyBytes(work.depth * commandBytes);
        digested = commands.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < work.depth; i++) {
            ByteBuffer command = commands.slice(i * commandBytes, commandBytes).order(ByteOrder.LITTLE_ENDIAN);
            Capsule.encodeCommandHeader(command, format, inCapsuleBytes);
            sqe.wrap(command, Capsule.ENTRY_OFFSET);
            ReadWriteCommand.encode(sqe, work.write ? Opcode.Nvm.WRITE : Opcode.Nvm.READ, nsid, 0, blocksEach);
            sqe.sgl1()
                    .set(
                            inCapsuleBytes > 0 ? SglDescriptor.IN_CAPSULE : SglDescriptor.TRANSPORT_DATA_BLOCK,
                            0,
                            work.sizeBytes);
            queue.digestData(digested, i * commandBytes, inCapsuleBytes);
        }
        pieces = inCapsuleBytes > 0 || !work.write
                ? new ByteBuffer[0]
                : pieces(Math.min(work.sizeBytes, queue.maxH2cDataBytes()));
    }

    private ByteBuffer anyBytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return ByteBuffer.allocateDirect(length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(bytes)
                .clear();
    }

    private ByteBuffer[] pieces(long bytesEach) {
        ByteBuffer data = anyBytes((int) bytesEach);
        int perCommand = (int) ((work.sizeBytes + bytesEach - 1) / bytesEach);
        ByteBuffer[] all = new ByteBuffer[PARTS_OF_PIECE * perCommand * work.depth];
        for (int i = 0; i < all.length; i += PARTS_OF_PIECE) {
            all[i] = ByteBuffer.allocateDirect(format.dataOffset(PduType.H2C_DATA))
                    .order(ByteOrder.LITTLE_ENDIAN);
            all[i + 1] = data.duplicate();
            all[i + 2] = ByteBuffer.allocateDirect(format.dataDigestBytes()).order(ByteOrder.LITTLE_ENDIAN);
        }
        return all;
    }

    /** Runs and ends with nothing outstanding. */
    Result run(long warmUpNanos, long measuredNanos) throws IOException {
        now = System.nanoTime();
        from = now + warmUpNanos;
        to = from + measuredNanos;
        for (int commandId = 0; commandId < work.depth; commandId++) {
            submit(commandId);
        }
        LimitServer.send(socket, commands);
        while (ended < submitted) {
            int read = socket.read(in);
            if (read < 0) {
                throw new EOFException("the target has closed the connection");
            }
            if (read > 0) {
                now = System.nanoTime();
                take();
                sendPieces();
                LimitServer.send(socket, commands);
            }
        }
        return new Result(latencies.getTotalCount(), ended, measuredNanos / 1e9, latencies);
    }

    private void submit(int commandId) {
        long place = work.random ? random.nextLong(places) : submitted % places;
        sqe.wrap(commands, commands.position() + Capsule.ENTRY_OFFSET);
        sqe.commandId(commandId).cdwPair(10, place * blocksEach);
        queue.digestHeader(digested, commands.position());
        commands.position(commands.position() + commandBytes);
        sentNanos[commandId] = now;
        submitted++;
    }

    private void sendPieces() throws IOException {
        for (int first = 0; first < piecesToSend; ) {
            socket.write(pieces, first, piecesToSend - first);
            while (first < piecesToSend && !pieces[first].hasRemaining()) {
                first++;
            }
        }
        piecesToSend = 0;
    }

    private void take() throws IOException {
        in.flip();
        while (bytesLeft > 0 ? in.hasRemaining() : takeHeader()) {
            int passed = Math.min(bytesLeft, in.remaining());
            in.position(in.position() + passed);
            bytesLeft -= passed;
            if (bytesLeft == 0 && ending >= 0) {
                end(ending);
                ending = -1;
            }
        }
        in.compact();
    }

    private void end(int commandId) {
        boolean measured = now - from >= 0 && now - to < 0;
        (measured ? latencies : uncounted).recordValue(now - sentNanos[commandId]);
        ended++;
        if (now - to < 0) {
            submit(commandId);
        }
    }

    private boolean takeHeader() throws IOException {
        if (in.remaining() < headerBytes) {
            return false;
        }
        int start = in.position();
        for (int i = 0; i < HEADER_BYTES; i += Long.BYTES) {
            header.putLong(i, in.getLong());
        }
        try {
            PduType type = received.check(header);
            in.position(start + headerBytes);
            bytesLeft = (int) PduHeader.pduLength(header) - headerBytes;
            switch (type) {
                case C2H_DATA ->
                    ending = PduHeader.hasFlag(header, PduHeader.SUCCESS) ? commandId(DataPdu.commandId(header)) : -1;
                case CAPSULE_RESP ->
                    ending = commandId(BareQueue.success(cqe.wrap(header, Capsule.ENTRY_OFFSET))
                            .commandId());
                case R2T -> addPieces();
                default -> throw new IOException("the target sent " + type);
            }
            return true;
        } catch (PduException e) {
            throw new IOException(e);
        }
    }

    private int commandId(int commandId) throws IOException {
        if (commandId >= work.depth) {
            throw new IOException("the target answers command " + commandId + ", which is not out");
        }
        return commandId;
    }

    private void addPieces() throws IOException {
        int commandId = commandId(R2T.commandId(header));
        int transferTag = R2T.transferTag(header);
        long offset = R2T.offsetBytes(header);
        for (long left = R2T.lengthBytes(header); left > 0; ) {
            if (piecesToSend == pieces.length) {
                throw new IOException("the target asks for more data than was announced");
            }
            ByteBuffer h2c = pieces[piecesToSend++].clear();
            ByteBuffer data = pieces[piecesToSend++].clear();
            ByteBuffer dataDigest = pieces[piecesToSend++].clear();
            int length = (int) Math.min(left, data.capacity());
            left -= length;
            DataPdu.encodeH2C(h2c, format, commandId, transferTag, offset, length, left == 0 ? PduHeader.LAST_PDU : 0);
            if (dataDigest.hasRemaining()) {
                queue.digest(h2c, 0, DataPdu.BYTES);
                dataDigest.putInt(0, pieceDigest(data, length));
            }
            data.clear().limit(length);
            offset += length;
        }
    }

    /** The digest of the first bytes of the data of any piece, which are mostly as many as before. */
    private int pieceDigest(ByteBuffer data, int length) {
        if (length != digestedPieceBytes) {
            pieceDigest = queue.digestOf(data, 0, length);
            digestedPieceBytes = length;
        }
        return pieceDigest;
    }

    /** Reads what to do from the environment, as {@code it-tests/speed/compare} describes it. */
    public static void main(String[] arguments) {
        try {
            print(runAsToldBy(System.getenv()));
        } catch (IOException | IllegalArgumentException e) {
            System.err.println("load: " + Objects.requireNonNullElse(e.getMessage(), e.toString()));
            System.exit(1);
        }
    }

    private static Result runAsToldBy(Map<String, String> environment) throws IOException {
        String pattern = environment.get("NVMF_RW");
        Work work = new Work(
                pattern.endsWith("write"),
                pattern.startsWith("rand"),
                Integer.parseInt(environment.get("NVMF_IO_SIZE")),
                Integer.parseInt(environment.get("NVMF_DEPTH")));
        InetSocketAddress address =
                new InetSocketAddress(environment.get("NVMF_HOST"), Integer.parseInt(environment.get("NVMF_PORT")));
        return run(
                address,
                environment.get("NVMF_NQN"),
                Long.parseLong(environment.get("NVMF_NSID")),
                work,
                environment.get("NVMF_DIGESTS").equals("1"),
                TimeUnit.SECONDS.toNanos(Integer.parseInt(environment.get("NVMF_WARMUP"))),
                TimeUnit.SECONDS.toNanos(Integer.parseInt(environment.get("NVMF_SECONDS"))));
    }

    private static void print(Result result) {
        System.out.printf(
                Locale.ROOT,
                "%.0f %.1f %.1f%n",
                result.commands() / result.seconds(),
                result.latencies().getValueAtPercentile(50) / 1e3,
                result.latencies().getValueAtPercentile(99) / 1e3);
    }

    /** Connects a controller with one I/O queue, and runs. */
    static Result run(
            InetSocketAddress address,
            String nqn,
            long nsid,
            Work work,
            boolean digests,
            long warmUpNanos,
            long measuredNanos)
            throws IOException {
        try (BareQueue admin = new BareQueue(address, false);
                BareQueue queue = new BareQueue(address, digests)) {
            int controllerId = admin.connect(nqn, 0, ADMIN_ENTRIES, ConnectData.CONTROLLER_ID_DYNAMIC);
            admin.enable();
            IdentifyNamespace namespace = IdentifyNamespace.decode(admin.identify(Cns.NAMESPACE, nsid), 0);
            IdentifyController controller = IdentifyController.decode(admin.identify(Cns.CONTROLLER, 0), 0);
            queue.connect(nqn, 1, Math.max(2, work.depth), controllerId);
            return new LoadHost(queue, nsid, namespace, controller, work).run(warmUpNanos, measuredNanos);
        }
    }
}
