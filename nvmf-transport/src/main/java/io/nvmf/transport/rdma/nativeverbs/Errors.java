package io.nvmf.transport.rdma.nativeverbs;

import io.nvmf.transport.rdma.RdmaException;
import java.util.Map;

/** Linux error numbers, as sentences that say what to do. */
final class Errors {
    static final int EINTR = 4;
    static final int EAGAIN = 11;
    static final int ENOMEM = 12;
    private static final int EACCES = 13;
    private static final int ENODEV = 19;
    private static final int EADDRINUSE = 98;
    private static final int EADDRNOTAVAIL = 99;
    private static final int ENETUNREACH = 101;

    private static final String NO_DEVICE = "no RDMA device serves this address";
    /** What they mean to somebody who gave an address. */
    private static final Map<Integer, String> OF_ADDRESSES = Map.of(
            ENODEV, NO_DEVICE,
            EADDRNOTAVAIL, NO_DEVICE,
            ENETUNREACH, "there is no route to this address",
            EACCES, "this user may not take this port",
            EADDRINUSE, "the address is in use");

    private Errors() {}

    /** A call failed just now, on this thread. @param what was tried, a noun */
    static RdmaException last(String what) {
        return of(what, RdmaLibrary.errno());
    }

    static RdmaException of(String what, int errno) {
        return new RdmaException(what + " failed: " + text(errno));
    }

    /** A call that was given an address failed just now, on this thread. */
    static RdmaException lastOfAddress() {
        return new RdmaException(textOfAddress(RdmaLibrary.errno()));
    }

    /** @param errno of either sign, as events carry it negative */
    static String textOfAddress(int errno) {
        String text = OF_ADDRESSES.get(Math.abs(errno));
        return text != null ? text : text(errno);
    }

    /** @param errno of either sign */
    static String text(int errno) {
        String text = RdmaLibrary.get().strerror(Math.abs(errno));
        return Math.abs(errno) == ENOMEM
                ? text + "; raise the limit of locked memory (ulimit -l, or LimitMEMLOCK= of the service)"
                : text;
    }
}
