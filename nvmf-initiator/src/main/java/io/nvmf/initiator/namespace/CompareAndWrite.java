package io.nvmf.initiator.namespace;

import io.nvmf.codec.Status;
import java.util.concurrent.CompletableFuture;

/** Waits for both commands of a fused pair, whose callbacks come on the same event loop. */
final class CompareAndWrite {
    private static final int NOT_DONE = -1;

    private final String what;
    private final CompletableFuture<Boolean> done = new CompletableFuture<>();
    private int compareStatus = NOT_DONE;
    private int writeStatus = NOT_DONE;

    /** @param what for messages */
    CompareAndWrite(String what) {
        this.what = what;
    }

    CompletableFuture<Boolean> future() {
        return done;
    }

    void onCompared(int status) {
        compareStatus = status;
        finishIfBothAreDone();
    }

    void onWritten(int status) {
        writeStatus = status;
        finishIfBothAreDone();
    }

    /** A difference is an answer only while nothing was written. */
    private void finishIfBothAreDone() {
        if (compareStatus == NOT_DONE || writeStatus == NOT_DONE) {
            return;
        }
        boolean written = Status.isSuccess(writeStatus);
        boolean different = Status.withoutFlags(compareStatus) == Status.COMPARE_FAILURE;
        if (written && Status.isSuccess(compareStatus) || !written && different) {
            done.complete(written);
        } else {
            done.completeExceptionally(new FusedCommandException(what, compareStatus, writeStatus));
        }
    }
}
