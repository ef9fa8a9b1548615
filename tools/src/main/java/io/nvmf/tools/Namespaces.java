package io.nvmf.tools;

import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.namespace.Namespace;
import java.util.List;
import java.util.stream.Collectors;

/** Finds the namespace that was meant. */
final class Namespaces {
    private Namespaces() {}

    /**
     * Identifies a namespace, by a command with {@code --namespace-id}.
     *
     * @param nsid 0 for the only one there is
     */
    static Namespace choose(Controller controller, long nsid) throws CommandException {
        return choose(
                controller, nsid, controller.subsystemNqn(), "choose one with --" + HostOptions.NAMESPACE_ID + ", or ");
    }

    /** As above, by a command whose namespaces are named by URIs alone. */
    static Namespace choose(Controller controller, HostOptions uri) throws CommandException {
        return choose(controller, uri.nsid(), uri.subsystemUri(), "");
    }

    private static Namespace choose(Controller controller, long nsid, String name, String orElse)
            throws CommandException {
        List<Long> active = controller.activeNamespaces();
        if (active.isEmpty()) {
            throw new CommandException(name + " has no namespace for this host");
        }
        String list = active.stream().map(String::valueOf).collect(Collectors.joining(", "));
        if (nsid != 0 && !active.contains(nsid)) {
            throw new CommandException(name + " has no namespace " + nsid + " for this host; it has " + list);
        }
        if (nsid == 0 && active.size() > 1) {
            throw new CommandException(
                    name + " has namespaces " + list + "; " + orElse + "end the URI with /" + active.get(0));
        }
        return controller.namespace(nsid != 0 ? nsid : active.get(0));
    }
}
