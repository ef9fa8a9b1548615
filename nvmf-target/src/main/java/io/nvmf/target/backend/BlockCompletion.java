package io.nvmf.target.backend;

/** Called once, on the channel's event loop, when an operation has ended. */
@FunctionalInterface
public interface BlockCompletion {
    void onComplete(BlockError error);
}
