package io.nvmf.it.house.badhouse.target.queue;

import io.nvmf.it.house.badhouse.target.backend.Below;

/** A queue that calls downwards, which it may. */
public final class Above {
    Below below;
}
