package io.nvmf.tools;

import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.namespace.Namespace;
import java.util.List;
import java.util.stream.Collectors;

/** Finds the namespace that was meant. */
final class Namespaces {
    private Namespaces() {}

    /**
     * Identifies a namespace.
     *
     * @param nsid 0 for the only one there is
     */
    static Namespace choose(Controller controller, long nsid) throws CommandException {
        if (nsid != 0) {
            return controller.namespace(nsid);
        }
        List<Long> active = controller.activeNamespaces();
        if (active.isEmpty()) {
            throw new CommandException(controller.subsystemNqn() + " has no namespace for this host");
        }
        if (active.size() > 1) {
            String list = active.stream().map(String::valueOf).collect(Collectors.joining(", "));
            throw new CommandException(controller.subsystemNqn() + " has namespaces " + list
                    + "; choose one with --namespace-id, or end the URI with /" + active.get(0));
        }
        return controller.namespace(active.get(0));
    }
}
