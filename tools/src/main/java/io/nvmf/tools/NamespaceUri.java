package io.nvmf.tools;

import io.nvmf.codec.log.TransportType;

/**
 * The name of a namespace, without an NSID of a subsystem, without an NQN of a target:
 * {@code nvmf-tcp://host:port/SUBNQN/NSID}.
 *
 * @param subsystemNqn empty when the URI has none
 * @param nsid 0 when the URI has none
 */
record NamespaceUri(TransportType transport, HostPort address, String subsystemNqn, long nsid) {
    static final int DEFAULT_PORT = 4420;
    private static final String SCHEME = "nvmf-";
    private static final long BROADCAST_NSID = 0xFFFF_FFFFL;

    static NamespaceUri parse(String text) throws UsageException {
        int schemeEnd = text.indexOf("://");
        if (!text.startsWith(SCHEME) || schemeEnd < 0) {
            throw badForm(text, "does not start with nvmf-tcp:// or nvmf-rdma://");
        }
        TransportType transport = parseTransport(text, text.substring(SCHEME.length(), schemeEnd));
        String rest = text.substring(schemeEnd + 3);
        int slash = rest.indexOf('/');
        HostPort address = HostPort.parse(slash < 0 ? rest : rest.substring(0, slash), DEFAULT_PORT);
        if (address.port() == 0) {
            throw badForm(text, "names port 0, on which no target can listen");
        }
        String path = slash < 0 ? "" : rest.substring(slash + 1);
        int nsidAt = path.lastIndexOf('/') + 1;
        if (nsidAt == 0) {
            return new NamespaceUri(transport, address, path, 0);
        }
        long nsid = parseNsid(text, path.substring(nsidAt));
        if (nsidAt == 1) {
            throw badForm(text, "names a namespace and no subsystem");
        }
        return new NamespaceUri(transport, address, path.substring(0, nsidAt - 1), nsid);
    }

    private static TransportType parseTransport(String text, String name) throws UsageException {
        try {
            return TransportType.named(name);
        } catch (IllegalArgumentException e) {
            throw badForm(text, "names '" + name + "', which " + e.getMessage());
        }
    }

    private static long parseNsid(String text, String nsid) throws UsageException {
        if (nsid.matches("\\d{1,10}")) {
            long number = Long.parseLong(nsid);
            if (number > 0 && number < BROADCAST_NSID) {
                return number;
            }
        }
        throw badForm(text, "ends with '" + nsid + "', which is no namespace ID");
    }

    private static UsageException badForm(String text, String problem) {
        return new UsageException(
                "URI '" + text + "' " + problem + "; write it as nvmf-tcp://HOST:PORT/SUBNQN/NSID or nvmf-rdma://...");
    }

    @Override
    public String toString() {
        return SCHEME + transport + "://" + address + (subsystemNqn.isEmpty() ? "" : "/" + subsystemNqn)
                + (nsid == 0 ? "" : "/" + nsid);
    }
}
