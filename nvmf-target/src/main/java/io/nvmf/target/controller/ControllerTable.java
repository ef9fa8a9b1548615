package io.nvmf.target.controller;

import io.nvmf.target.subsystem.Subsystem;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.IntFunction;
import java.util.function.Predicate;

/**
 * All controllers of a target by CNTLID. Identifiers are unique over all subsystems, which is more than the specification
 * asks, and are not used again until all others have been. Thread safe.
 */
public final class ControllerTable {
    private static final int MIN_ID = 1;
    /** FFF0h and above are reserved. */
    private static final int MAX_ID = 0xFFEF;

    private final ConcurrentMap<Integer, Controller> controllers = new ConcurrentHashMap<>();
    private int nextId = MIN_ID;

    /** Makes a controller under a free CNTLID; null when there is none. */
    public synchronized Controller create(IntFunction<Controller> factory) {
        for (int tries = MIN_ID; tries <= MAX_ID; tries++) {
            int id = nextId;
            nextId = id == MAX_ID ? MIN_ID : id + 1;
            if (!controllers.containsKey(id)) {
                Controller controller = factory.apply(id);
                controllers.put(id, controller);
                return controller;
            }
        }
        return null;
    }

    /** The controller with this CNTLID, or null. */
    public Controller get(int id) {
        return controllers.get(id);
    }

    /**
     * Whether commands of an ended association of this host with this subsystem are still executed: until they are done,
     * what the host writes through a new one might be overtaken by them.
     */
    public boolean isDraining(Subsystem subsystem, HostIdentity host) {
        for (Controller controller : controllers.values()) {
            boolean same = controller.subsystem() == subsystem
                    && controller.host().hostId().equals(host.hostId());
            if (same && controller.isClosed()) {
                return true;
            }
        }
        return false;
    }

    /** CNTLIDs of the controllers that a subsystem has now, ascending. */
    public int[] idsOf(Subsystem subsystem) {
        return controllers.values().stream()
                .filter(controller -> controller.subsystem() == subsystem && !controller.isClosed())
                .mapToInt(Controller::id)
                .sorted()
                .toArray();
    }

    /** Those that there are now, also such as have ended and whose commands are still executed, by CNTLID. */
    public List<Controller> all() {
        return controllers.values().stream()
                .sorted(Comparator.comparingInt(Controller::id))
                .toList();
    }

    /** Ends the associations of some controllers, with all their connections. */
    public void end(Predicate<Controller> which, String reason) {
        for (Controller controller : controllers.values()) {
            if (which.test(controller)) {
                controller.adminQueue().close(reason);
            }
        }
    }

    void remove(Controller controller) {
        controllers.remove(controller.id(), controller);
    }
}
