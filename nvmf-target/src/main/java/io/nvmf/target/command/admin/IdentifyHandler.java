package io.nvmf.target.command.admin;

import static java.util.Map.entry;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.identify.Cns;
import io.nvmf.codec.identify.CommandSetCombinations;
import io.nvmf.codec.identify.ControllerList;
import io.nvmf.codec.identify.Csi;
import io.nvmf.codec.identify.IdentifyCommand;
import io.nvmf.codec.identify.IdentifyNamespace;
import io.nvmf.codec.identify.IndependentNamespace;
import io.nvmf.codec.identify.NamespaceList;
import io.nvmf.codec.identify.NvmCommandSetNamespace;
import io.nvmf.target.command.Command;
import io.nvmf.target.command.CommandHandler;
import io.nvmf.target.command.Pages;
import io.nvmf.target.config.AnaState;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.target.controller.Controller;
import io.nvmf.target.controller.ControllerTable;
import io.nvmf.target.namespace.Namespace;
import io.nvmf.target.subsystem.Subsystem;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;

/** Identify (NVMe Base 2.0 s5.17): a table from CNS to what makes its page. */
public final class IdentifyHandler implements CommandHandler {
    private static final long HIGHEST_LIST_START = 0xFFFF_FFFDL;
    private static final int NAMESPACE_READY = 1;
    private static final int THIS_CONTROLLER = 0xFFFF;

    /** What one CNS answers: refuses, or writes a page of 4096 zero bytes. */
    private record View(Check check, Writer writer) {}

    /** Returns a status. */
    private interface Check {
        int check(Command command);
    }

    private interface Writer {
        void write(Command command, ByteBuffer page);
    }

    private static final View CONTROLLER = new View(
            command -> Status.SUCCESS,
            (command, page) -> ControllerData.of(command.queue().controller()).encode(page, 0));

    private static final Map<Integer, View> DISCOVERY_VIEWS = Map.of(Cns.CONTROLLER, CONTROLLER);

    private final ControllerTable controllers;
    private final Map<Integer, View> views;

    public IdentifyHandler(ControllerTable controllers) {
        this.controllers = controllers;
        View namespace = new View(IdentifyHandler::checkValidNsid, IdentifyHandler::namespace);
        View namespaces = new View(IdentifyHandler::checkListStart, IdentifyHandler::activeNamespaces);
        views = Map.ofEntries(
                entry(Cns.CONTROLLER, CONTROLLER),
                entry(Cns.NAMESPACE, namespace),
                entry(Cns.ACTIVE_NAMESPACE_LIST, namespaces),
                entry(
                        Cns.NAMESPACE_DESCRIPTORS,
                        new View(
                                IdentifyHandler::checkActiveNsid,
                                (command, page) ->
                                        namespaceOf(command).descriptors().encode(page, 0))),
                entry(
                        Cns.COMMAND_SET_NAMESPACE,
                        ofNvm(new View(
                                IdentifyHandler::checkActiveNsid,
                                (command, page) ->
                                        NvmCommandSetNamespace.allocate().encode(page, 0)))),
                entry(
                        Cns.COMMAND_SET_CONTROLLER,
                        ofNvm(new View(
                                command -> Status.SUCCESS,
                                (command, page) -> ControllerData.ofNvm(
                                                command.queue().controller())
                                        .encode(page, 0)))),
                entry(Cns.COMMAND_SET_ACTIVE_NAMESPACE_LIST, ofNvm(namespaces)),
                entry(
                        Cns.INDEPENDENT_NAMESPACE,
                        new View(IdentifyHandler::checkActiveNsid, IdentifyHandler::independentNamespace)),
                // What is there is attached to every controller.
                entry(Cns.ALLOCATED_NAMESPACE_LIST, namespaces),
                entry(Cns.ALLOCATED_NAMESPACE, namespace),
                entry(Cns.NAMESPACE_CONTROLLER_LIST, new View(IdentifyHandler::checkActiveNsid, this::controllerList)),
                entry(Cns.CONTROLLER_LIST, new View(command -> Status.SUCCESS, this::controllerList)),
                entry(
                        Cns.COMMAND_SET_COMBINATIONS,
                        new View(
                                this::checkController,
                                (command, page) -> CommandSetCombinations.combination(page, 0, 0, 1L << Csi.NVM))));
    }

    @Override
    public long check(Command command) {
        View view = view(command);
        int status = view == null ? Status.INVALID_FIELD : view.check.check(command);
        return Status.isSuccess(status) ? IdentifyCommand.DATA_BYTES : CommandHandler.refuse(status);
    }

    @Override
    public void execute(Command command) {
        // A namespace may have gone since the check, while the command waited for its buffer.
        long checked = check(command);
        if (checked < 0) {
            command.complete(CommandHandler.refusal(checked));
            return;
        }
        ByteBuffer page = Bytes.allocate(IdentifyCommand.DATA_BYTES);
        view(command).writer.write(command, page);
        Pages.fill(command, page, 0);
        command.complete(Status.SUCCESS);
    }

    private View view(Command command) {
        boolean discovery = command.queue().controller().subsystem().isDiscovery();
        return (discovery ? DISCOVERY_VIEWS : views).get(IdentifyCommand.cns(command.sqe()));
    }

    private static Namespace namespaceOf(Command command) {
        return command.queue()
                .controller()
                .subsystem()
                .namespaces()
                .get(command.sqe().nsid());
    }

    /** A view that there is for one command set only. */
    private static View ofNvm(View view) {
        return new View(
                command -> IdentifyCommand.csi(command.sqe()) == Csi.NVM
                        ? view.check.check(command)
                        : Status.INVALID_FIELD,
                view.writer);
    }

    /** CNTID names a controller of the subsystem, or means the one that is asked. */
    private int checkController(Command command) {
        int id = IdentifyCommand.controllerId(command.sqe());
        Subsystem subsystem = command.queue().controller().subsystem();
        boolean known = id == THIS_CONTROLLER
                || Arrays.stream(controllers.idsOf(subsystem)).anyMatch(each -> each == id);
        return known ? Status.SUCCESS : Status.INVALID_CONTROLLER_IDENTIFIER;
    }

    private void controllerList(Command command, ByteBuffer page) {
        int[] ids = controllers.idsOf(command.queue().controller().subsystem());
        ControllerList.encode(page, 0, ids, IdentifyCommand.controllerId(command.sqe()));
    }

    /** 1 to NN, whether active or not. */
    private static int checkValidNsid(Command command) {
        long nsid = command.sqe().nsid();
        return nsid >= 1 && nsid <= TargetLimits.MAX_NSID ? Status.SUCCESS : Status.INVALID_NAMESPACE_OR_FORMAT;
    }

    private static int checkActiveNsid(Command command) {
        return namespaceOf(command) != null ? Status.SUCCESS : Status.INVALID_NAMESPACE_OR_FORMAT;
    }

    private static int checkListStart(Command command) {
        return command.sqe().nsid() <= HIGHEST_LIST_START ? Status.SUCCESS : Status.INVALID_NAMESPACE_OR_FORMAT;
    }

    /** An inactive NSID inside 1..NN reads as zeros. */
    private static void namespace(Command command, ByteBuffer page) {
        Namespace namespace = namespaceOf(command);
        if (namespace != null) {
            IdentifyNamespace data = namespace.identify();
            AnaState ana = command.queue().controller().anaState(namespace);
            if (ana == AnaState.INACCESSIBLE || ana == AnaState.PERSISTENT_LOSS) {
                // What is used cannot be known from here (NVMe Base 2.0 s8.1.3.3).
                data.set(IdentifyNamespace.Field.NUSE, 0);
            }
            data.encode(page, 0);
        }
    }

    private static void activeNamespaces(Command command, ByteBuffer page) {
        Controller controller = command.queue().controller();
        Sqe sqe = command.sqe();
        NamespaceList.encode(page, 0, controller.subsystem().namespaces().nsids(), sqe.nsid());
    }

    private static void independentNamespace(Command command, ByteBuffer page) {
        IdentifyNamespace nvm = namespaceOf(command).identify();
        IndependentNamespace data = IndependentNamespace.allocate();
        data.set(IndependentNamespace.Field.NSFEAT, nvm.get(IdentifyNamespace.Field.NSFEAT));
        data.set(IndependentNamespace.Field.NMIC, nvm.get(IdentifyNamespace.Field.NMIC));
        data.set(IndependentNamespace.Field.RESCAP, nvm.get(IdentifyNamespace.Field.RESCAP));
        data.set(IndependentNamespace.Field.ANAGRPID, nvm.get(IdentifyNamespace.Field.ANAGRPID));
        data.set(IndependentNamespace.Field.NSATTR, nvm.get(IdentifyNamespace.Field.NSATTR));
        data.set(IndependentNamespace.Field.NSTAT, NAMESPACE_READY);
        data.encode(page, 0);
    }
}
