package io.nvmf.transport.rdma;

import io.netty.channel.IoEventLoop;
import io.nvmf.transport.rdma.disni.DisniRdma;
import io.nvmf.transport.rdma.nativeverbs.NativeVerbs;

/**
 * RDMA of this machine: through its librdmacm and libibverbs, or through what {@code -Dnvmf.rdma=} names, {@code native} or
 * {@code disni}. Thread safe.
 */
public final class Rdma {
    private static final String PROPERTY = "nvmf.rdma";
    private static final RdmaProvider PROVIDER = named(System.getProperty(PROPERTY, "native"));

    private Rdma() {}

    /** Whether {@link #unavailabilityCause} has nothing to say. */
    public static boolean isAvailable() {
        return unavailabilityCause() == null;
    }

    /**
     * What is missing and what to do about it, in one sentence; null when RDMA can be used. Looked for anew, where that
     * can change, until nothing is missing.
     */
    public static String unavailabilityCause() {
        return PROVIDER.unavailabilityCause();
    }

    /** Always the same one; it can be asked even when RDMA cannot be used. */
    public static RdmaProvider provider() {
        return PROVIDER;
    }

    static RdmaProvider named(String name) {
        return switch (name) {
            case "native" -> new NativeVerbs();
            case "disni" -> new DisniRdma();
            default -> new Unknown(name);
        };
    }

    private record Unknown(String name) implements RdmaProvider {
        @Override
        public String unavailabilityCause() {
            return "-D" + PROPERTY + "=" + name + " names no way to RDMA: say native or disni";
        }

        @Override
        public ConnectionManager openConnectionManager(IoEventLoop loop) throws RdmaException {
            throw new RdmaException(unavailabilityCause());
        }
    }
}
