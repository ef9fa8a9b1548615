package io.nvmf.tools.nbd;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Keeps changes of parts of blocks, for which the blocks are read first and written afterwards, apart from all other changes
 * of the same blocks: where two meet and one is such an edit, the later waits until the earlier has ended. Changes of
 * whole blocks do not wait for each other. Owned by the server's event loop.
 */
final class ChangeOrder {
    /** A change that has not ended. */
    static final class Change {
        private final Span span;
        private final boolean isEdit;
        private final Consumer<Change> work;
        private final List<Change> waiting = new ArrayList<>(0);
        /** Changes before this one that have to end first. */
        private int waitsFor;

        private Change(Span span, Consumer<Change> work) {
            this.span = span;
            this.work = work;
            isEdit = !span.isWhole();
        }

        private boolean mustFollow(Change earlier) {
            return (isEdit || earlier.isEdit)
                    && span.firstBlock() < earlier.span.endBlock()
                    && earlier.span.firstBlock() < span.endBlock();
        }
    }

    private final Set<Change> open = new LinkedHashSet<>();
    private int edits;

    /**
     * Begins a change when its turn has come, which may be now.
     *
     * @param work begins it, and sees to it that {@link #end} is called when it is done
     */
    void begin(Span span, Consumer<Change> work) {
        Change change = new Change(span, work);
        if (change.isEdit || edits > 0) {
            for (Change earlier : open) {
                if (change.mustFollow(earlier)) {
                    earlier.waiting.add(change);
                    change.waitsFor++;
                }
            }
        }
        open.add(change);
        edits += change.isEdit ? 1 : 0;
        if (change.waitsFor == 0) {
            work.accept(change);
        }
    }

    void end(Change change) {
        open.remove(change);
        edits -= change.isEdit ? 1 : 0;
        for (Change next : change.waiting) {
            if (--next.waitsFor == 0) {
                next.work.accept(next);
            }
        }
    }
}
