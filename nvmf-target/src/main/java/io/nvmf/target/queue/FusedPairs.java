package io.nvmf.target.queue;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.target.command.io.CompareAndWrite;

/**
 * Brings the two halves of fused commands together (NVMe Base 2.0 s3.4.2), which are adjacent in the submission queue: here, in
 * the order in which their capsules arrive. Their data may come in any order. A half that cannot be, or is aborted, takes the
 * other with it. Owned by the queue's event loop.
 */
final class FusedPairs {
    private final TargetQueue queue;

    /** Waits for its second half; it holds no buffer of the pool meanwhile. */
    private Request first;
    /** What the first half that arrived last was completed with, when its second has not arrived; else 0. */
    private int firstFailed;

    FusedPairs(TargetQueue queue) {
        this.queue = queue;
    }

    /** Whether the arrival of a command means something here. */
    boolean concerns(Request arrived) {
        return arrived.sqe().fuse() != 0 || first != null || firstFailed != 0;
    }

    /**
     * A command has arrived.
     *
     * @param status what it is refused with, or 0
     * @return whether it is taken care of here; else it goes on as other commands do
     */
    boolean arrived(Request arrived, int status) {
        if (arrived.sqe().fuse() == Sqe.FUSED_SECOND) {
            second(arrived, status);
            return true;
        }
        if (first != null) {
            takeFirst().complete(Status.MISSING_FUSED_COMMAND | Status.DNR);
        }
        firstFailed = 0;
        if (arrived.sqe().fuse() == Sqe.FUSED_FIRST) {
            first(arrived, status);
            return true;
        }
        return false;
    }

    private Request takeFirst() {
        Request taken = first;
        first = null;
        return taken;
    }

    private void first(Request arrived, int status) {
        if (arrived.sqe().opcode() != Opcode.Nvm.COMPARE) {
            arrived.complete(status == Status.SUCCESS ? Status.INVALID_OPCODE | Status.DNR : status);
        } else if (status != Status.SUCCESS) {
            firstFailed = status;
            arrived.complete(status);
        } else {
            first = arrived;
            arrived.awaitPartner(queue.nanoTime());
        }
    }

    private void second(Request arrived, int status) {
        if (first == null) {
            int alone = status == Status.SUCCESS ? Status.MISSING_FUSED_COMMAND | Status.DNR : status;
            arrived.complete(firstFailed == 0 ? alone : CompareAndWrite.failedWith(firstFailed));
            firstFailed = 0;
            return;
        }
        Request compare = takeFirst();
        if (arrived.sqe().opcode() != Opcode.Nvm.WRITE) {
            compare.complete(Status.MISSING_FUSED_COMMAND | Status.DNR);
            arrived.complete(Status.INVALID_OPCODE | Status.DNR);
        } else if (status != Status.SUCCESS) {
            compare.complete(CompareAndWrite.failedWith(status));
            arrived.complete(status);
        } else if (!sameBlocks(compare.sqe(), arrived.sqe())) {
            compare.complete(Status.INVALID_FIELD | Status.DNR);
            arrived.complete(Status.FAILED_FUSED_COMMAND | Status.DNR);
        } else {
            compare.partner(arrived);
            arrived.partner(compare);
            queue.gatherPair(compare, arrived);
        }
    }

    /** All data of one half has come; the other's may be missing. @param valid whether it is what the host sent */
    void dataFetched(Request half, boolean valid) {
        half.state(RequestState.AWAITING_PARTNER);
        if (!valid && half.refusal() == 0) {
            half.refuse(Status.TRANSIENT_TRANSPORT_ERROR);
        }
        Request other = half.partner();
        if (other.state() == RequestState.AWAITING_PARTNER) {
            boolean isFirst = half.sqe().fuse() == Sqe.FUSED_FIRST;
            execute(isFirst ? half : other, isFirst ? other : half);
        }
    }

    /** All data is there. */
    void execute(Request compare, Request write) {
        compare.state(RequestState.EXECUTING);
        write.state(RequestState.EXECUTING);
        if (compare.refusal() != 0) {
            compare.complete(compare.refusal());
            write.complete(CompareAndWrite.failedWith(compare.refusal()));
        } else if (write.refusal() != 0) {
            compare.complete(CompareAndWrite.failedWith(write.refusal()));
            write.complete(write.refusal());
        } else {
            CompareAndWrite.execute(compare, write);
        }
    }

    /** Whether it is a first half whose second the host owes. */
    boolean awaitsSecond(Request request) {
        return request == first;
    }

    private static boolean sameBlocks(Sqe one, Sqe other) {
        return one.nsid() == other.nsid()
                && ReadWriteCommand.startBlock(one) == ReadWriteCommand.startBlock(other)
                && ReadWriteCommand.blockCount(one) == ReadWriteCommand.blockCount(other);
    }

    /** Aborts the command if it is the half that waits for its second. */
    boolean abort(Request request, int status) {
        if (request != first) {
            return false;
        }
        firstFailed = status;
        takeFirst().complete(status);
        return true;
    }
}
