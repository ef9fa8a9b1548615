package io.nvmf.transport.rdma;

import io.nvmf.transport.rdma.nativeverbs.NativeVerbs;

/** RDMA of this machine, through its librdmacm and libibverbs. Thread safe. */
public final class Rdma {
    private static final NativeVerbs PROVIDER = new NativeVerbs();

    private Rdma() {}

    /** Whether {@link #unavailabilityCause} has nothing to say. */
    public static boolean isAvailable() {
        return unavailabilityCause() == null;
    }

    /**
     * What is missing and what to do about it, in one sentence; null when RDMA can be used. Looked for anew until nothing
     * is missing.
     */
    public static String unavailabilityCause() {
        return PROVIDER.unavailabilityCause();
    }

    /** Always the same one; it can be asked even when RDMA cannot be used. */
    public static RdmaProvider provider() {
        return PROVIDER;
    }
}
