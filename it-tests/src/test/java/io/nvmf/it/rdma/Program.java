package io.nvmf.it.rdma;

import java.io.PrintStream;
import java.util.List;
import java.util.Map;

/** What a script in the guest can have done beside the {@code nvmf} commands, in the same process. */
public interface Program {
    /** By the word that calls it. */
    Map<String, Program> ALL = Map.of(
            "contract", new Contract(),
            "faults", new RdmaFaults(),
            "serve", new ServedTarget());

    /**
     * Does it.
     *
     * @param out for the results
     * @throws Exception when it failed
     */
    void run(List<String> arguments, PrintStream out) throws Exception;
}
