package io.nvmf.transport.rdma.disni;

import io.netty.channel.IoEventLoop;
import io.nvmf.transport.rdma.ConnectionManager;
import io.nvmf.transport.rdma.RdmaException;
import io.nvmf.transport.rdma.RdmaProvider;
import java.io.IOException;

/**
 * DiSNI and its library; see the package for what it cannot do. Nothing of it is touched before {@link #unavailabilityCause}
 * has been asked: each of its objects loads libdisni.
 */
public final class DisniRdma implements RdmaProvider {
    private static final String DISNI = "com.ibm.disni.verbs.RdmaProvider";

    private boolean isKnown;
    private String cause;

    /** Looked for once: Java does not load a library again that it could not load before. */
    @Override
    public synchronized String unavailabilityCause() {
        if (!isKnown) {
            isKnown = true;
            cause = missing();
        }
        return cause;
    }

    private static String missing() {
        try {
            Class<?> disni = Class.forName(DISNI, false, DisniRdma.class.getClassLoader());
            // Where it looks for the addresses of direct buffers.
            if (!Object.class.getModule().isExported("sun.nio.ch", disni.getModule())) {
                return "DiSNI needs the Java option --add-exports=java.base/sun.nio.ch=ALL-UNNAMED";
            }
            com.ibm.disni.verbs.RdmaProvider.provider();
            return null;
        } catch (ClassNotFoundException e) {
            return "DiSNI is not in the class path: add the jar com.ibm.disni:disni:2.1, or leave out -Dnvmf.rdma=disni";
        } catch (IOException e) {
            return "libdisni does not fit DiSNI 2.1: build that version of it: " + e.getMessage();
        } catch (LinkageError e) {
            return "DiSNI cannot load libdisni.so: build it, name its directory with -Djava.library.path, and have"
                    + " librdmacm and libibverbs installed: " + e.getMessage();
        }
    }

    @Override
    public ConnectionManager openConnectionManager(IoEventLoop loop) throws RdmaException {
        String missing = unavailabilityCause();
        if (missing != null) {
            throw new RdmaException(missing);
        }
        return new DisniConnectionManager(loop);
    }
}
