package io.nvmf.target.command;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.fabrics.FabricsType;
import io.nvmf.target.command.admin.AbortHandler;
import io.nvmf.target.command.admin.AsyncEventRequestHandler;
import io.nvmf.target.command.admin.GetFeaturesHandler;
import io.nvmf.target.command.admin.GetLogPageHandler;
import io.nvmf.target.command.admin.IdentifyHandler;
import io.nvmf.target.command.admin.KeepAliveHandler;
import io.nvmf.target.command.admin.LogPages;
import io.nvmf.target.command.admin.SetFeaturesHandler;
import io.nvmf.target.command.fabrics.ConnectHandler;
import io.nvmf.target.command.fabrics.PropertyGetHandler;
import io.nvmf.target.command.fabrics.PropertySetHandler;
import io.nvmf.target.command.io.CompareHandler;
import io.nvmf.target.command.io.CopyHandler;
import io.nvmf.target.command.io.DatasetManagementHandler;
import io.nvmf.target.command.io.FlushHandler;
import io.nvmf.target.command.io.ReadHandler;
import io.nvmf.target.command.io.ReservationAcquireHandler;
import io.nvmf.target.command.io.ReservationRegisterHandler;
import io.nvmf.target.command.io.ReservationReleaseHandler;
import io.nvmf.target.command.io.ReservationReportHandler;
import io.nvmf.target.command.io.VerifyHandler;
import io.nvmf.target.command.io.WriteHandler;
import io.nvmf.target.command.io.WriteUncorrectableHandler;
import io.nvmf.target.command.io.WriteZeroesHandler;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.target.controller.Controller;
import io.nvmf.target.controller.ControllerTable;
import io.nvmf.target.discovery.DiscoveryService;

/** From opcode to handler, for each kind of queue. Shared by all event loops. */
public final class CommandTable {
    private static final int OPCODES = 256;

    private final TargetLimits limits;
    private final CommandHandler[] fabrics = new CommandHandler[OPCODES];
    private final CommandHandler[] admin = new CommandHandler[OPCODES];
    private final CommandHandler[] discoveryAdmin = new CommandHandler[OPCODES];
    private final CommandHandler[] io = new CommandHandler[OPCODES];

    public CommandTable(DiscoveryService discovery, ControllerTable controllers, TargetLimits limits, long nowNanos) {
        this.limits = limits;
        fabrics[FabricsType.CONNECT] = new ConnectHandler(discovery, controllers, limits);
        fabrics[FabricsType.PROPERTY_GET] = new PropertyGetHandler();
        fabrics[FabricsType.PROPERTY_SET] = new PropertySetHandler();

        discoveryAdmin[Opcode.Admin.IDENTIFY] = new IdentifyHandler(controllers);
        discoveryAdmin[Opcode.Admin.GET_LOG_PAGE] = new GetLogPageHandler(new LogPages(discovery, nowNanos));
        discoveryAdmin[Opcode.Admin.GET_FEATURES] = new GetFeaturesHandler();
        discoveryAdmin[Opcode.Admin.SET_FEATURES] = new SetFeaturesHandler();
        discoveryAdmin[Opcode.Admin.ASYNC_EVENT_REQUEST] = new AsyncEventRequestHandler();
        discoveryAdmin[Opcode.Admin.KEEP_ALIVE] = new KeepAliveHandler();

        System.arraycopy(discoveryAdmin, 0, admin, 0, OPCODES);
        admin[Opcode.Admin.ABORT] = new AbortHandler();

        io[Opcode.Nvm.READ] = new ReadHandler();
        io[Opcode.Nvm.WRITE] = new WriteHandler();
        io[Opcode.Nvm.FLUSH] = new FlushHandler();
        io[Opcode.Nvm.WRITE_ZEROES] = new WriteZeroesHandler();
        io[Opcode.Nvm.DATASET_MANAGEMENT] = new DatasetManagementHandler();
        io[Opcode.Nvm.RESERVATION_REGISTER] = new ReservationRegisterHandler();
        io[Opcode.Nvm.RESERVATION_ACQUIRE] = new ReservationAcquireHandler(controllers);
        io[Opcode.Nvm.RESERVATION_RELEASE] = new ReservationReleaseHandler();
        io[Opcode.Nvm.RESERVATION_REPORT] = new ReservationReportHandler();
        io[Opcode.Nvm.COMPARE] = new CompareHandler();
        io[Opcode.Nvm.VERIFY] = new VerifyHandler();
        io[Opcode.Nvm.WRITE_UNCORRECTABLE] = new WriteUncorrectableHandler();
        io[Opcode.Nvm.COPY] = new CopyHandler();
    }

    public TargetLimits limits() {
        return limits;
    }

    /**
     * The handler of a command on a queue, or null when there is none.
     *
     * @param controller null before Connect
     */
    public CommandHandler find(Sqe sqe, Controller controller, int queueId) {
        if (sqe.opcode() == Opcode.FABRICS) {
            return fabrics[sqe.fabricsType()];
        }
        if (queueId != 0) {
            return io[sqe.opcode()];
        }
        return (controller.subsystem().isDiscovery() ? discoveryAdmin : admin)[sqe.opcode()];
    }
}
