package io.nvmf.transport.rdma.disni;

import io.nvmf.transport.rdma.RdmaException;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls DiSNI, which says what failed by an IOException, by null, or by a number that is not 0. */
final class Disni {
    private static final Logger LOG = LoggerFactory.getLogger(Disni.class);

    /** Makes an object, or returns 0. */
    interface Call<T> {
        T run() throws IOException;
    }

    private Disni() {}

    /** @param what is tried, for the message */
    static <T> T call(String what, Call<T> call) throws RdmaException {
        T result;
        try {
            result = call.run();
        } catch (IOException e) {
            throw new RdmaException(what + ": " + text(e), e);
        }
        if (result == null || result instanceof Integer number && number != 0) {
            throw new RdmaException(what + " failed");
        }
        return result;
    }

    /** For what closes: a failure is logged. @return whether there was none */
    static <T> boolean tryTo(String what, Call<T> call) {
        try {
            call(what, call);
            return true;
        } catch (RdmaException e) {
            LOG.warn("{}", e.getMessage());
            return false;
        }
    }

    /** What libdisni says ends with a new line. */
    static String text(IOException e) {
        return String.valueOf(e.getMessage()).strip();
    }
}
