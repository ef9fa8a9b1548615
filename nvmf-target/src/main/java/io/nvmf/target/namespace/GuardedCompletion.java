package io.nvmf.target.namespace;

import io.nvmf.target.backend.BlockCompletion;
import io.nvmf.target.backend.BlockError;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A completion that knows whether it was called, so that a device which throws, as none may, is answered for once. One object
 * serves many operations, one after the other. Owned by an event loop.
 */
public abstract class GuardedCompletion implements BlockCompletion {
    private static final Logger LOG = LoggerFactory.getLogger(GuardedCompletion.class);

    private boolean called;
    private boolean returned;

    /** As {@link BlockCompletion#onComplete}. */
    protected abstract void completed(BlockError error);

    @Override
    public final void onComplete(BlockError error) {
        called = true;
        completed(error);
        returned = true;
    }

    /** An operation begins that this is the completion of. */
    final void begin() {
        called = false;
        returned = false;
    }

    /**
     * The call that began the operation has thrown: taken for one that was never begun, the operation fails. So its command
     * gives back what it holds.
     *
     * @return false when it is {@link #completed} that has thrown, which says nothing of the device
     */
    final boolean answers(Throwable thrown) {
        if (called && !returned) {
            return false;
        }
        LOG.error("a device has thrown", thrown);
        if (!called) {
            onComplete(BlockError.INTERNAL);
        }
        return true;
    }
}
