package io.nvmf.target.command.fabrics;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.fabrics.ConnectCommand;
import io.nvmf.codec.fabrics.ConnectData;
import io.nvmf.codec.fabrics.ConnectResponse;
import io.nvmf.target.command.Command;
import io.nvmf.target.command.CommandHandler;
import io.nvmf.target.command.CommandQueue;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.target.controller.Controller;
import io.nvmf.target.controller.ControllerTable;
import io.nvmf.target.controller.HostIdentity;
import io.nvmf.target.discovery.DiscoveryService;
import io.nvmf.target.subsystem.Subsystem;
import io.nvmf.target.subsystem.SubsystemPort;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connect (NVMe-oF 1.1 s3.3): makes a controller, or one more I/O queue of one. DNR is set only where the same Connect
 * can never succeed, because it ends the host's attempts for good.
 */
public final class ConnectHandler implements CommandHandler {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectHandler.class);

    /** How often to look whether the host's last association has ended; the connection's own deadline bounds it. */
    private static final int DRAIN_POLL_MS = 5;

    private final DiscoveryService discovery;
    private final ControllerTable controllers;
    private final TargetLimits limits;

    public ConnectHandler(DiscoveryService discovery, ControllerTable controllers, TargetLimits limits) {
        this.discovery = discovery;
        this.controllers = controllers;
        this.limits = limits;
    }

    @Override
    public long check(Command command) {
        if (command.queue().controller() != null) {
            return CommandHandler.refuse(Status.COMMAND_SEQUENCE_ERROR);
        }
        if (ConnectCommand.recordFormat(command.sqe()) != 0) {
            return CommandHandler.refuse(Status.CONNECT_INCOMPATIBLE_FORMAT);
        }
        return ConnectData.BYTES;
    }

    @Override
    public void execute(Command command) {
        ByteBuffer bytes = Bytes.allocate(ConnectData.BYTES);
        command.data().getBytes(0, bytes.array());
        if (!ConnectData.isTerminated(bytes, 0, ConnectData.SUBSYSTEM_NQN_OFFSET)) {
            invalid(command, ConnectResponse.invalidInData(ConnectData.SUBSYSTEM_NQN_OFFSET), "SUBNQN without end");
            return;
        }
        // Empty it may be: some hosts have no name, and are admitted where every host is.
        if (!ConnectData.isTerminated(bytes, 0, ConnectData.HOST_NQN_OFFSET)) {
            invalid(command, ConnectResponse.invalidInData(ConnectData.HOST_NQN_OFFSET), "HOSTNQN without end");
            return;
        }
        ConnectData data = ConnectData.decode(bytes, 0);
        SubsystemPort port = discovery.find(command.queue().listener(), data.subsystemNqn());
        if (port == null) {
            invalid(
                    command,
                    ConnectResponse.invalidInData(ConnectData.SUBSYSTEM_NQN_OFFSET),
                    "no subsystem " + HostIdentity.printable(data.subsystemNqn()) + " on this listener");
            return;
        }
        if (port.admits(data.hostNqn())) {
            connect(command, port, data);
        } else {
            refuseHost(command, port, data);
        }
    }

    private static void refuseHost(Command command, SubsystemPort port, ConnectData data) {
        LOG.warn(
                "{}: host {} may not connect to {}",
                command.queue().peer(),
                HostIdentity.printable(data.hostNqn()),
                port.subsystem().nqn());
        command.complete(Status.CONNECT_INVALID_HOST | Status.DNR);
    }

    private void connect(Command command, SubsystemPort port, ConnectData data) {
        Sqe sqe = command.sqe();
        int sqSize = ConnectCommand.sqSizeZeroBased(sqe);
        int unfit = command.queue().unfitConnectField(ConnectCommand.queueId(sqe), sqSize);
        if (sqSize == 0 || sqSize >= limits.maxQueueDepth()) {
            invalid(command, ConnectResponse.invalidInCommand(ConnectCommand.SQ_SIZE_OFFSET), "SQSIZE " + sqSize);
        } else if (unfit != 0) {
            invalid(command, ConnectResponse.invalidInCommand(unfit), "the connection was requested for another queue");
        } else if (!command.queue().takeEntries(sqSize + 1)) {
            LOG.warn(
                    "{}: Connect refused: no memory for {} more queue entries, raise -Xmx",
                    command.queue().peer(),
                    sqSize + 1);
            command.complete(Status.CONNECT_CONTROLLER_BUSY);
        } else if (ConnectCommand.queueId(sqe) == 0) {
            connectAdminQueue(command, port, data, sqSize);
        } else {
            connectIoQueue(command, port, data, sqSize);
        }
    }

    private void connectAdminQueue(Command command, SubsystemPort port, ConnectData data, int sqSize) {
        if (data.controllerId() != ConnectData.CONTROLLER_ID_DYNAMIC) {
            invalid(
                    command,
                    ConnectResponse.invalidInData(ConnectData.CONTROLLER_ID_OFFSET),
                    "CNTLID " + data.controllerId() + " under the dynamic controller model");
            return;
        }
        CommandQueue queue = command.queue();
        long keepAliveTimeoutMs = ConnectCommand.keepAliveTimeoutMs(command.sqe());
        Controller controller = controllers.create(id -> new Controller(
                id,
                port,
                new HostIdentity(data.hostNqn(), data.hostId()),
                queue,
                controllers,
                limits,
                keepAliveTimeoutMs,
                queue.nanoTime()));
        if (controller == null) {
            LOG.warn("{}: no controller id is free", queue.peer());
            command.complete(Status.CONNECT_CONTROLLER_BUSY);
            return;
        }
        if (!port.admits(data.hostNqn())) {
            // What is changed while the target runs ends the controllers that it finds: this one it may have missed.
            controller.ended(queue);
            refuseHost(command, port, data);
            return;
        }
        queue.connected(controller, 0, sqSize, usesFlowControl(command.sqe()));
        LOG.info(
                "{}: host {} connected to {} as controller {}",
                queue.peer(),
                HostIdentity.printable(data.hostNqn()),
                port.subsystem().nqn(),
                controller.id());
        command.complete(Status.SUCCESS, ConnectResponse.success(controller.id()));
    }

    /** The controller belongs to its admin queue's loop: ask there, come back here. */
    private void connectIoQueue(Command command, SubsystemPort port, ConnectData data, int sqSize) {
        Controller controller = controllers.get(data.controllerId());
        CommandQueue queue = command.queue();
        if (queue.isClosed()) {
            // It has waited longer than its connection lasted: memory is held until the command ends.
            command.complete(Status.COMMAND_SEQUENCE_ERROR);
            return;
        }
        Subsystem subsystem = port.subsystem();
        if (controller == null || controller.subsystem() != subsystem) {
            // No DNR: the host's association has ended, by a restart of ours perhaps, and it may make another.
            LOG.warn("{}: Connect refused: no controller {} in {}", queue.peer(), data.controllerId(), subsystem.nqn());
            command.complete(
                    Status.CONNECT_INVALID_PARAMETERS, ConnectResponse.invalidInData(ConnectData.CONTROLLER_ID_OFFSET));
            return;
        }
        if (controllers.isDraining(subsystem, controller.host())) {
            queue.loop()
                    .schedule(() -> connectIoQueue(command, port, data, sqSize), DRAIN_POLL_MS, TimeUnit.MILLISECONDS);
            return;
        }
        int queueId = ConnectCommand.queueId(command.sqe());
        boolean flowControl = usesFlowControl(command.sqe());
        controller.adminQueue().loop().execute(() -> {
            Controller.Attachment attachment = controller.attach(queue, port, queueId, data.hostNqn());
            queue.loop().execute(() -> {
                if (Status.isSuccess(attachment.status())) {
                    queue.connected(controller, queueId, sqSize, flowControl);
                } else {
                    LOG.warn(
                            "{}: Connect of queue {} of controller {} refused", queue.peer(), queueId, controller.id());
                }
                command.complete(attachment.status(), attachment.result());
            });
        });
    }

    private static boolean usesFlowControl(Sqe sqe) {
        return (ConnectCommand.attributes(sqe) & ConnectCommand.DISABLE_SQ_FLOW_CONTROL) == 0;
    }

    private static void invalid(Command command, long result, String why) {
        LOG.warn("{}: Connect refused: {}", command.queue().peer(), why);
        command.complete(Status.CONNECT_INVALID_PARAMETERS | Status.DNR, result);
    }
}
