package io.nvmf.tools.output;

import static io.nvmf.codec.log.DiscoveryLogEntry.Field.ADRFAM;
import static io.nvmf.codec.log.DiscoveryLogEntry.Field.ASQSZ;
import static io.nvmf.codec.log.DiscoveryLogEntry.Field.CNTLID;
import static io.nvmf.codec.log.DiscoveryLogEntry.Field.EFLAGS;
import static io.nvmf.codec.log.DiscoveryLogEntry.Field.PORTID;
import static io.nvmf.codec.log.DiscoveryLogEntry.Field.RDMA_CMS;
import static io.nvmf.codec.log.DiscoveryLogEntry.Field.RDMA_PKEY;
import static io.nvmf.codec.log.DiscoveryLogEntry.Field.RDMA_PRTYPE;
import static io.nvmf.codec.log.DiscoveryLogEntry.Field.RDMA_QPTYPE;
import static io.nvmf.codec.log.DiscoveryLogEntry.Field.SUBTYPE;
import static io.nvmf.codec.log.DiscoveryLogEntry.Field.TCP_SECTYPE;
import static io.nvmf.codec.log.DiscoveryLogEntry.Field.TREQ;
import static io.nvmf.codec.log.DiscoveryLogEntry.Field.TRTYPE;

import io.nvmf.codec.log.DiscoveryLogEntry;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** An entry of the Discovery log as named values. */
public final class DiscoveryFields {
    private static final Map<Integer, String> TRANSPORTS = Map.of(
            DiscoveryLogEntry.TRTYPE_RDMA, "rdma",
            DiscoveryLogEntry.TRTYPE_FC, "fc",
            DiscoveryLogEntry.TRTYPE_TCP, "tcp",
            DiscoveryLogEntry.TRTYPE_LOOP, "loop");
    private static final Map<Integer, String> FAMILIES = Map.of(
            DiscoveryLogEntry.ADRFAM_IPV4, "ipv4",
            DiscoveryLogEntry.ADRFAM_IPV6, "ipv6",
            DiscoveryLogEntry.ADRFAM_IB, "infiniband",
            DiscoveryLogEntry.ADRFAM_FC, "fibre-channel",
            DiscoveryLogEntry.ADRFAM_LOOP, "loop");
    private static final Map<Integer, String> SUBSYSTEM_TYPES = Map.of(
            DiscoveryLogEntry.SUBTYPE_REFERRAL, "discovery subsystem referral",
            DiscoveryLogEntry.SUBTYPE_NVM, "nvme subsystem",
            DiscoveryLogEntry.SUBTYPE_CURRENT_DISCOVERY, "current discovery subsystem");
    private static final Map<Integer, String> REQUIREMENTS = Map.of(
            DiscoveryLogEntry.TREQ_NOT_SPECIFIED, "not specified",
            DiscoveryLogEntry.TREQ_REQUIRED, "required",
            DiscoveryLogEntry.TREQ_NOT_REQUIRED, "not required");
    private static final Map<Integer, String> SECURITY_TYPES = Map.of(0, "none", 1, "tls", 2, "tls13");
    private static final Map<Integer, String> RDMA_PROVIDERS = Map.of(
            DiscoveryLogEntry.RDMA_PRTYPE_NOT_SPECIFIED, "not specified",
            DiscoveryLogEntry.RDMA_PRTYPE_INFINIBAND, "infiniband",
            DiscoveryLogEntry.RDMA_PRTYPE_ROCE, "roce",
            DiscoveryLogEntry.RDMA_PRTYPE_ROCE_V2, "roce-v2",
            DiscoveryLogEntry.RDMA_PRTYPE_IWARP, "iwarp");
    private static final Map<Integer, String> RDMA_SERVICES = Map.of(
            DiscoveryLogEntry.RDMA_QPTYPE_CONNECTED, "connected",
            DiscoveryLogEntry.RDMA_QPTYPE_DATAGRAM, "datagram");
    private static final Map<Integer, String> RDMA_CONNECTION_MANAGEMENT =
            Map.of(DiscoveryLogEntry.RDMA_CMS_RDMA_CM, "rdma-cm");
    private static final List<String> FLAGS =
            List.of("duplicate discovery information", "explicit discovery connections", "no cdc connectivity");
    private static final int SECURE_CHANNEL_MASK = 3;

    private DiscoveryFields() {}

    /** The name of its transport. */
    public static String transport(DiscoveryLogEntry entry) {
        return name(TRANSPORTS, entry.get(TRTYPE));
    }

    public static Fields of(DiscoveryLogEntry entry) {
        Fields fields = new Fields()
                .put("trtype", name(TRANSPORTS, entry.get(TRTYPE)))
                .put("adrfam", name(FAMILIES, entry.get(ADRFAM)))
                .put("subtype", name(SUBSYSTEM_TYPES, entry.get(SUBTYPE)))
                .put("treq", requirement(entry.get(TREQ)))
                .put("portid", BigInteger.valueOf(entry.get(PORTID)), false)
                .put("cntlid", BigInteger.valueOf(entry.get(CNTLID)), false)
                .put("asqsz", BigInteger.valueOf(entry.get(ASQSZ)), false)
                .put("trsvcid", entry.serviceId())
                .put("subnqn", entry.subsystemNqn())
                .put("traddr", entry.transportAddress())
                .put("eflags", flags(entry.get(EFLAGS)));
        if (entry.get(TRTYPE) == DiscoveryLogEntry.TRTYPE_RDMA) {
            fields.put("rdma_prtype", name(RDMA_PROVIDERS, entry.get(RDMA_PRTYPE)))
                    .put("rdma_qptype", name(RDMA_SERVICES, entry.get(RDMA_QPTYPE)))
                    .put("rdma_cms", name(RDMA_CONNECTION_MANAGEMENT, entry.get(RDMA_CMS)))
                    .put("rdma_pkey", BigInteger.valueOf(entry.get(RDMA_PKEY)), true);
        }
        if (entry.get(TRTYPE) == DiscoveryLogEntry.TRTYPE_TCP) {
            fields.put("sectype", name(SECURITY_TYPES, entry.get(TCP_SECTYPE)));
        }
        return fields;
    }

    private static String requirement(long treq) {
        String secure = name(REQUIREMENTS, treq & SECURE_CHANNEL_MASK);
        boolean noFlowControl = (treq & DiscoveryLogEntry.TREQ_DISABLE_SQ_FLOW_CONTROL) != 0;
        return secure + (noFlowControl ? ", sq flow control disable supported" : "");
    }

    private static String flags(long value) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < FLAGS.size(); i++) {
            if ((value >> i & 1) != 0) {
                names.add(FLAGS.get(i));
            }
        }
        return names.isEmpty() ? "none" : String.join(", ", names);
    }

    private static String name(Map<Integer, String> names, long value) {
        return names.getOrDefault((int) value, "unrecognized " + value);
    }
}
