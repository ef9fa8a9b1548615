package io.nvmf.target.command;

import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.controller.Controller;
import io.nvmf.target.controller.ControllerQueue;
import io.nvmf.target.discovery.Listener;
import io.nvmf.target.namespace.BlockTraffic;
import io.nvmf.target.namespace.Namespace;

/** The queue a command came on, as handlers see it. Its event loop runs the handlers. */
public interface CommandQueue extends ControllerQueue {
    /** The controller, or null before Connect has succeeded. */
    Controller controller();

    /** QID; meaningful once there is a controller. */
    int queueId();

    /** Where the host connected to. */
    Listener listener();

    /**
     * Whether the queue's connection was made for what a Connect command asks for.
     *
     * @return the offset in the entry of the first field that does not fit; 0 when all do
     */
    int unfitConnectField(int queueId, int sqSizeZeroBased);

    /** Takes the entries that Connect asks for; false when all queues of the target have too many already. */
    boolean takeEntries(int entries);

    /** Connect has succeeded. On the queue's loop. */
    void connected(Controller controller, int queueId, int sqSizeZeroBased, boolean flowControl);

    /** This loop's channel to a namespace, or null when it cannot be opened. */
    BlockChannel channel(Namespace namespace);

    /** The commands of this loop that are under way on blocks. */
    BlockTraffic blocks();

    /** Whether the connection has ended: what a command still does, nobody waits for. */
    boolean isClosed();
}
