package io.nvmf.tools.rpc;

/**
 * What clients may take up.
 *
 * @param clients at a time; one more ends the one that has kept the server waiting longest
 * @param idleMs without a request
 * @param owedMs for all of a request once it has begun, and for taking an answer
 */
record RpcLimits(int clients, long idleMs, long owedMs) {
    static final RpcLimits DEFAULT = new RpcLimits(32, 300_000, 30_000);
}
