package io.nvmf.codec.log;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The transports that this toolkit speaks, named as in nvme-cli and numbered as TRTYPE of the Discovery log. */
public enum TransportType {
    TCP(DiscoveryLogEntry.TRTYPE_TCP),
    RDMA(DiscoveryLogEntry.TRTYPE_RDMA);

    private final int trtype;

    TransportType(int trtype) {
        this.trtype = trtype;
    }

    /** TRTYPE. */
    public int trtype() {
        return trtype;
    }

    /**
     * The transport of that name.
     *
     * @throws IllegalArgumentException if there is none; the message is the end of a sentence that begins with the name
     */
    public static TransportType named(String name) {
        for (TransportType type : values()) {
            if (type.toString().equals(name)) {
                return type;
            }
        }
        throw new IllegalArgumentException("is no transport; there are " + names());
    }

    /** All names, for a message: {@code tcp and rdma}. */
    public static String names() {
        return Arrays.stream(values()).map(TransportType::toString).collect(Collectors.joining(" and "));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
