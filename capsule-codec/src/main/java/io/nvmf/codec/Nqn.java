package io.nvmf.codec;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * NVMe Qualified Names (NVMe Base 2.0 s4.5): {@code nqn.yyyy-mm.reverse.domain:anything}, or {@code
 * nqn.2014-08.org.nvmexpress:uuid:} and a UUID.
 */
public final class Nqn {
    /** The well-known name of every discovery subsystem. */
    public static final String DISCOVERY = "nqn.2014-08.org.nvmexpress.discovery";

    public static final String UUID_PREFIX = "nqn.2014-08.org.nvmexpress:uuid:";
    /** Longest name in bytes of UTF-8, without the NUL that ends it on the wire. */
    public static final int MAX_BYTES = 223;

    private static final Pattern DATE = Pattern.compile("nqn\\.\\d{4}-(0[1-9]|1[0-2])\\..*", Pattern.DOTALL);
    private static final Pattern DOMAIN =
            Pattern.compile("[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*");
    private static final Pattern UUID =
            Pattern.compile("[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}");
    private static final int DOMAIN_INDEX = "nqn.yyyy-mm.".length();

    private Nqn() {}

    /**
     * What is wrong with a name, as one sentence; empty when it is well formed. A host should use names as it finds
     * them: other targets accept any text.
     */
    public static Optional<String> problem(String nqn) {
        if (nqn.isEmpty()) {
            return Optional.of("the NQN is empty");
        }
        int lengthBytes = nqn.getBytes(StandardCharsets.UTF_8).length;
        if (lengthBytes > MAX_BYTES) {
            return Optional.of("the NQN has " + lengthBytes + " bytes, more than " + MAX_BYTES);
        }
        if (nqn.chars().anyMatch(c -> c < ' ' || c == 0x7F)) {
            return Optional.of("the NQN has a control character");
        }
        if (!DATE.matcher(nqn).matches()) {
            return Optional.of("the NQN '" + nqn + "' does not start with nqn.yyyy-mm. and a domain, as in "
                    + "nqn.2024-01.com.example:disk1");
        }
        if (nqn.startsWith(UUID_PREFIX)
                && !UUID.matcher(nqn.substring(UUID_PREFIX.length())).matches()) {
            return Optional.of("the NQN '" + nqn + "' does not end with a UUID after " + UUID_PREFIX);
        }
        int colon = nqn.indexOf(':');
        String domain = nqn.substring(DOMAIN_INDEX, colon < 0 ? nqn.length() : colon);
        if (!DOMAIN.matcher(domain).matches()) {
            return Optional.of(
                    "the NQN '" + nqn + "' has no reverse domain name after " + nqn.substring(0, DOMAIN_INDEX));
        }
        if (colon == nqn.length() - 1) {
            return Optional.of("the NQN '" + nqn + "' has nothing after its colon");
        }
        return Optional.empty();
    }
}
