package io.nvmf.it.house.badhouse.target.backend;

import io.nvmf.it.house.badhouse.target.queue.Above;

/** A backend that calls upwards. */
public final class Below {
    Above above;
}
