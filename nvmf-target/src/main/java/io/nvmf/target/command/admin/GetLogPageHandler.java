package io.nvmf.target.command.admin;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.identify.Csi;
import io.nvmf.codec.log.GetLogPageCommand;
import io.nvmf.codec.log.LogPageId;
import io.nvmf.codec.log.ReservationNotification;
import io.nvmf.target.command.Command;
import io.nvmf.target.command.CommandHandler;
import io.nvmf.target.command.Pages;
import io.nvmf.target.controller.Controller;
import java.nio.ByteBuffer;
import java.util.Map;

/**
 * Get Log Page (NVMe Base 2.0 s5.16). A page is made whole, then cut at the host's offset; what lies beyond its end reads
 * as zeros.
 */
public final class GetLogPageHandler implements CommandHandler {
    private interface Page {
        ByteBuffer make(Command command);
    }

    private final Map<Integer, Page> ioPages;
    private final Map<Integer, Page> discoveryPages;

    public GetLogPageHandler(LogPages pages) {
        ioPages = Map.of(
                LogPageId.FEATURES_SUPPORTED_AND_EFFECTS,
                        command -> LogPages.featureEffects(command.queue().controller()),
                LogPageId.SUPPORTED_LOG_PAGES, command -> pages.supported(ioPages()),
                LogPageId.ERROR_INFORMATION, GetLogPageHandler::errors,
                LogPageId.SMART_HEALTH, command -> pages.smart(command.queue()),
                LogPageId.FIRMWARE_SLOT, command -> LogPages.firmwareSlots(),
                LogPageId.CHANGED_NAMESPACE_LIST, GetLogPageHandler::changedNamespaces,
                LogPageId.COMMANDS_SUPPORTED_AND_EFFECTS, command -> LogPages.commandEffects(),
                LogPageId.ANA, LogPages::ana,
                LogPageId.RESERVATION_NOTIFICATION, GetLogPageHandler::reservationNotice);
        discoveryPages = Map.of(
                LogPageId.SUPPORTED_LOG_PAGES, command -> pages.supported(discoveryPages()),
                LogPageId.ERROR_INFORMATION, GetLogPageHandler::errors,
                LogPageId.DISCOVERY, pages::discovery);
    }

    private Iterable<Integer> ioPages() {
        return ioPages.keySet();
    }

    private Iterable<Integer> discoveryPages() {
        return discoveryPages.keySet();
    }

    @Override
    public long check(Command command) {
        Sqe sqe = command.sqe();
        if (page(command) == null) {
            return CommandHandler.refuse(Status.INVALID_LOG_PAGE);
        }
        long length = GetLogPageCommand.lengthBytes(sqe);
        boolean aligned = (GetLogPageCommand.logOffset(sqe) & 3) == 0 && !GetLogPageCommand.offsetIsIndex(sqe);
        if (length > command.queue().controller().limits().maxTransferBytes() || !aligned) {
            return CommandHandler.refuse(Status.INVALID_FIELD);
        }
        if (GetLogPageCommand.lid(sqe) == LogPageId.COMMANDS_SUPPORTED_AND_EFFECTS
                && GetLogPageCommand.csi(sqe) != Csi.NVM) {
            return CommandHandler.refuse(Status.INVALID_FIELD);
        }
        boolean wholeController = sqe.nsid() == 0 || sqe.nsid() == Sqe.NSID_ALL;
        if (GetLogPageCommand.lid(sqe) == LogPageId.SMART_HEALTH && !wholeController) {
            return CommandHandler.refuse(Status.INVALID_FIELD);
        }
        return length;
    }

    @Override
    public void execute(Command command) {
        Sqe sqe = command.sqe();
        ByteBuffer page = page(command).make(command);
        long offset = GetLogPageCommand.logOffset(sqe);
        if (offset < 0 || offset > page.capacity()) {
            command.complete(Status.INVALID_FIELD | Status.DNR);
            return;
        }
        Pages.fill(command, page, offset);
        boolean retain = GetLogPageCommand.retainAsyncEvent(sqe);
        int logPageId = GetLogPageCommand.lid(sqe);
        Controller controller = command.queue().controller();
        command.complete(Status.SUCCESS);
        // After the data, for an event may follow at once.
        if (!retain) {
            read(controller, logPageId);
        }
    }

    /** The host knows what the page says: the event that announced it may come again. */
    private static void read(Controller controller, int logPageId) {
        if (logPageId == LogPageId.CHANGED_NAMESPACE_LIST) {
            controller.clearChangedNamespaces();
        }
        controller.asyncEvents().onLogRead(logPageId);
        if (logPageId == LogPageId.RESERVATION_NOTIFICATION) {
            controller.reservationNoticeRead();
        }
    }

    private Page page(Command command) {
        boolean discovery = command.queue().controller().subsystem().isDiscovery();
        return (discovery ? discoveryPages : ioPages).get(GetLogPageCommand.lid(command.sqe()));
    }

    private static ByteBuffer errors(Command command) {
        return command.queue().controller().errorLog().page();
    }

    private static ByteBuffer reservationNotice(Command command) {
        ByteBuffer page = Bytes.allocate(ReservationNotification.BYTES);
        command.queue().controller().reservationNotices().page().encode(page, 0);
        return page;
    }

    private static ByteBuffer changedNamespaces(Command command) {
        return LogPages.changedNamespaces(command.queue().controller().changedNamespaces());
    }
}
