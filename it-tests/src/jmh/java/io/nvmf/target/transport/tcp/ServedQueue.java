package io.nvmf.target.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.nvmf.codec.Bytes;
import io.nvmf.codec.Cqe;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.fabrics.ConnectCommand;
import io.nvmf.codec.fabrics.ConnectData;
import io.nvmf.codec.fabrics.ConnectResponse;
import io.nvmf.codec.fabrics.ControllerConfiguration;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.fabrics.PropertyCommand;
import io.nvmf.codec.identify.Nguid;
import io.nvmf.codec.log.TransportType;
import io.nvmf.codec.tcp.Capsule;
import io.nvmf.codec.tcp.InitializeConnection;
import io.nvmf.codec.tcp.PduFormat;
import io.nvmf.codec.tcp.PduType.Direction;
import io.nvmf.it.speed.DiscardChannel;
import io.nvmf.target.backend.BlockDevice;
import io.nvmf.target.command.CommandTable;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.config.SubsystemConfig;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.target.controller.ControllerTable;
import io.nvmf.target.discovery.DiscoveryService;
import io.nvmf.target.discovery.Listener;
import io.nvmf.target.namespace.BlockTraffic;
import io.nvmf.target.namespace.NamespaceChannels;
import io.nvmf.target.queue.BufferPool;
import io.nvmf.target.queue.EntryLimit;
import io.nvmf.target.queue.TargetLoop;
import io.nvmf.target.subsystem.Subsystem;
import io.nvmf.target.transport.ConnectionGroup;
import io.nvmf.transport.tcp.PduWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * A target without sockets and threads of its own: one controller with an I/O queue, into which bytes are put and from which
 * bytes come in the caller's thread.
 */
final class ServedQueue {
    private static final String NQN = "nqn.2026-01.io.nvmf:benchmark";
    private static final int DEPTH = 128;

    private final ManualIoEventLoop loop = new ManualIoEventLoop(Thread.currentThread(), NioIoHandler.newFactory());
    private final TargetLoop targetLoop;
    private final CommandTable commands;
    private final Listener listener;
    private final ConnectionGroup group;
    private final PduFormat agreed;
    private final DiscardChannel io;

    /** One end of a connection, through which commands are sent before it is measured. */
    private final class Host {
        private final ByteBuf received = Unpooled.buffer();
        private final DiscardChannel channel = new DiscardChannel();

        Host() {
            channel.pipeline().addLast(new TcpConnection(channel, targetLoop, commands, listener, group));
            channel.keepIn(received);
            int digests = (agreed.headerDigest() ? InitializeConnection.DIGEST_HEADER : 0)
                    | (agreed.dataDigest() ? InitializeConnection.DIGEST_DATA : 0);
            ByteBuffer icReq = Bytes.allocate(InitializeConnection.BYTES);
            InitializeConnection.encodeRequest(icReq, 0, digests, 0);
            deliver(Unpooled.wrappedBuffer(icReq));
            received.clear();
        }

        private void deliver(ByteBuf bytes) {
            ServedQueue.deliver(channel, bytes);
            // A Connect goes to the loop of the admin queue and back.
            while (loop.runNow() > 0) {
                channel.runPendingTasks();
            }
        }

        long execute(Sqe sqe, ByteBuf data) {
            deliver(encode(agreed, sqe, data));
            Cqe cqe = new Cqe().wrap(bytes(received), Capsule.ENTRY_OFFSET);
            received.clear();
            if (cqe.status() != 0) {
                throw new IllegalStateException("status " + Integer.toHexString(cqe.status()));
            }
            return cqe.result();
        }

        long connect(int queueId, int controllerId) {
            Sqe sqe = Sqe.allocate();
            ConnectCommand.encode(sqe, queueId, DEPTH - 1, ConnectCommand.DISABLE_SQ_FLOW_CONTROL, 0);
            sqe.sgl1().set(SglDescriptor.IN_CAPSULE, 0, ConnectData.BYTES);
            ByteBuffer data = Bytes.allocate(ConnectData.BYTES);
            UUID host = new UUID(1, 2);
            new ConnectData(host, controllerId, NQN, "nqn.2014-08.org.nvmexpress:uuid:" + host).encode(data, 0);
            return execute(sqe, Unpooled.wrappedBuffer(data));
        }
    }

    ServedQueue(BlockDevice device, boolean digests) {
        agreed = new PduFormat(Direction.H2C, digests, digests, 4);
        TargetLimits limits = TargetLimits.DEFAULT;
        targetLoop = new TargetLoop(
                loop,
                new BufferPool(64 << 20, limits.maxTransferBytes(), limits.inCapsuleDataBytes()),
                new NamespaceChannels(loop),
                new BlockTraffic(loop, new ArrayList<>()),
                System::nanoTime,
                EntryLimit.ofThisProcess());
        NamespaceConfig namespace = new NamespaceConfig(1, device, 512, new UUID(1, 1), new Nguid(1, 1));
        Subsystem subsystem =
                Subsystem.nvm(new SubsystemConfig(NQN, "1", "nvmf4j", true, Set.of(), List.of(namespace)));
        DiscoveryService discovery = new DiscoveryService(
                Subsystem.discovery("nqn.2014-08.org.nvmexpress.discovery", "discovery", "nvmf4j"));
        commands = new CommandTable(discovery, new ControllerTable(), limits, System.nanoTime());
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 4420);
        listener = new Listener(
                new ListenerConfig(1, TransportType.TCP, address, Set.of(NQN)), address, List.of(subsystem));
        group = new ConnectionGroup(targetLoop);

        Host admin = new Host();
        int controllerId = ConnectResponse.controllerId(admin.connect(0, 0xFFFF));
        Sqe enable = Sqe.allocate();
        PropertyCommand.encodeSet(
                enable, Property.CC, ControllerConfiguration.ENABLE | ControllerConfiguration.ENTRY_SIZES);
        admin.execute(enable, Unpooled.EMPTY_BUFFER);
        Host queue = new Host();
        queue.connect(1, controllerId);
        io = queue.channel;
        io.keepIn(null);
    }

    /** A command, with data in its capsule when there is some, as the host sends it. */
    ByteBuf encode(Sqe sqe, ByteBuf data) {
        return encode(agreed, sqe, data);
    }

    private static ByteBuf encode(PduFormat format, Sqe sqe, ByteBuf data) {
        return encode(format, writer -> {
            writer.capsuleCmdHeader(sqe, data.readableBytes());
            if (data.isReadable()) {
                writer.data(data, 0, data.readableBytes());
                writer.endData();
            }
        });
    }

    /** H2CData, as the host sends it. */
    ByteBuf encodeData(int commandId, int transferTag, ByteBuf data) {
        return encode(agreed, writer -> {
            writer.h2cDataHeader(commandId, transferTag, 0, data.readableBytes(), true);
            writer.data(data, 0, data.readableBytes());
            writer.endData();
        });
    }

    private static ByteBuf encode(PduFormat format, Consumer<PduWriter> pdus) {
        ByteBuf stream = Unpooled.directBuffer();
        DiscardChannel channel = new DiscardChannel();
        channel.keepIn(stream);
        PduWriter writer = new PduWriter(channel, Direction.H2C);
        writer.format(format);
        pdus.accept(writer);
        writer.flush();
        return stream;
    }

    /** Lets all of a buffer arrive on the I/O queue, in one read of its socket; the buffer stays the caller's. */
    void deliver(ByteBuf bytes) {
        deliver(io, bytes);
    }

    private static void deliver(DiscardChannel channel, ByteBuf bytes) {
        channel.pipeline().fireChannelRead(bytes.readerIndex(0).retain());
        channel.pipeline().fireChannelReadComplete();
    }

    /** How many bytes the I/O queue has sent so far. */
    long sentBytes() {
        return io.sentBytes();
    }

    /** The next bytes that the I/O queue sends when this is delivered. */
    ByteBuffer answer(ByteBuf bytes) {
        ByteBuf kept = Unpooled.buffer();
        io.keepIn(kept);
        deliver(bytes);
        io.keepIn(null);
        return bytes(kept);
    }

    private static ByteBuffer bytes(ByteBuf buffer) {
        return buffer.nioBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }
}
