package io.nvmf.tools.nbd;

/**
 * What all connections of a server share.
 *
 * @param budget of their requests together
 * @param changes that their requests make
 */
record Served(NbdExport export, Budget budget, ChangeOrder changes) {}
