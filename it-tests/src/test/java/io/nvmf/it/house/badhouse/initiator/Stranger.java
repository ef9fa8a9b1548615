package io.nvmf.it.house.badhouse.initiator;

import io.nvmf.it.house.badhouse.target.queue.Above;

/** An initiator that imports the target. */
final class Stranger {
    Above above;
}
