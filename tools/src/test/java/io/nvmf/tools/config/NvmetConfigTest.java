package io.nvmf.tools.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Nqn;
import io.nvmf.codec.identify.Nguid;
import io.nvmf.codec.log.TransportType;
import io.nvmf.target.backend.file.FileOptions;
import io.nvmf.target.config.AnaState;
import io.nvmf.target.config.DiscoveryConfig;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.RdmaConfig;
import io.nvmf.target.config.ReferralConfig;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.tools.CommandException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NvmetConfigTest {
    private static final String NQN = "nqn.2026-01.com.example:disk";
    private static final String HOST = "nqn.2026-01.com.example:host";

    private static TargetPlan parse(String json) throws CommandException {
        return NvmetConfig.parse("f", json, false);
    }

    /** Everything that a kernel writes, as it writes it, numbers as text and all. */
    private static final String SAVED = """
            {
              "discovery": {"nqn": "nqn.2014-08.org.nvmexpress.discovery"},
              "hosts": [
                {
                  "dhchap": {"ctrl_key": "", "dhgroup": "null", "hash": "hmac(sha256)", "key": ""},
                  "nqn": "nqn.2026-01.com.example:host"
                }
              ],
              "ports": [
                {
                  "addr": {
                    "adrfam": "ipv4", "traddr": "192.168.1.2", "treq": "not specified",
                    "trsvcid": "4420", "trtype": "tcp", "tsas": "none"
                  },
                  "ana_groups": [{"ana": {"state": "optimized"}, "grpid": 1}],
                  "param": {"inline_data_size": "16384", "max_queue_size": "128", "pi_enable": "0"},
                  "portid": 7,
                  "referrals": [],
                  "subsystems": ["nqn.2026-01.com.example:disk"]
                }
              ],
              "subsystems": [
                {
                  "allowed_hosts": ["nqn.2026-01.com.example:host"],
                  "attr": {
                    "allow_any_host": "0", "cntlid_max": "65519", "cntlid_min": "1", "firmware": "6.12.1",
                    "ieee_oui": "0x000000", "model": "Linux", "pi_enable": "0", "qid_max": "128",
                    "serial": "123456789abcdef", "version": "2.1"
                  },
                  "namespaces": [
                    {
                      "ana": {"grpid": "1"},
                      "ana_grpid": 1,
                      "device": {
                        "nguid": "ef90689c-6c46-d44c-89c1-4067801309a8",
                        "path": "/dev/nvme0n1",
                        "uuid": "d592cdf3-5d1c-44e0-8412-3fcf7d99df27"
                      },
                      "enable": 1,
                      "nsid": 1,
                      "resv": {"enable": "0"}
                    },
                    {
                      "ana_grpid": 1,
                      "device": {
                        "nguid": "00000000-0000-0000-0000-000000000000",
                        "path": "/dev/nvme0n2",
                        "uuid": "00000000-0000-0000-0000-000000000000"
                      },
                      "enable": 0,
                      "nsid": 2
                    }
                  ],
                  "nqn": "nqn.2026-01.com.example:disk",
                  "passthru": [
                    {"admin_timeout": 0, "clear_ids": 0, "device": {"path": ""}, "enable": 0, "io_timeout": 0}
                  ]
                }
              ]
            }
            """;

    /** What even this file asks for in vain. */
    private static final List<String> SAVED_WARNINGS = List.of(
            "f: subsystems[0].attr.firmware is '6.12.1', but controllers report the version of this program",
            "f: subsystems[0].attr.version is '2.1', but controllers report version 2.0",
            "f: subsystems[0].namespaces[1].enable is 0, namespace 2 is left out");

    private static List<String> warnings(String json) throws CommandException {
        List<String> warnings = new ArrayList<>(parse(json).warnings());
        warnings.removeAll(SAVED_WARNINGS);
        return warnings;
    }

    @Test
    void shouldServeWhatKernelTargetServed() throws CommandException {
        TargetPlan plan = parse(SAVED);
        assertEquals(SAVED_WARNINGS, plan.warnings());
        assertEquals(
                List.of(new ListenerConfig(
                        7, TransportType.TCP, new InetSocketAddress("192.168.1.2", 4420), Set.of(NQN))),
                plan.listeners());
        NamespacePlan namespace = new NamespacePlan(
                1,
                new Backing.InFile(Path.of("/dev/nvme0n1"), FileOptions.EXISTING),
                OptionalInt.empty(),
                Optional.of(UUID.fromString("d592cdf3-5d1c-44e0-8412-3fcf7d99df27")),
                Optional.of(Nguid.parse("ef90689c6c46d44c89c14067801309a8")));
        assertEquals(
                List.of(new SubsystemPlan(
                        NQN,
                        Optional.of("123456789abcdef"),
                        Optional.of("Linux"),
                        false,
                        Set.of(HOST),
                        List.of(namespace))),
                plan.subsystems());
        TargetLimits defaults = TargetLimits.DEFAULT;
        assertEquals(
                new TargetLimits(
                        128,
                        defaults.maxIoQueues(),
                        16384,
                        defaults.maxTransferBytes(),
                        defaults.bufferMemoryBytes(),
                        0),
                plan.limits());
    }

    @Test
    void shouldDeriveIdentifiersWhenTheyAreAllZero() throws CommandException {
        NamespacePlan namespace = parse(
                        SAVED.replace("\"enable\": 0,\n          \"nsid\": 2", "\"enable\": 1, \"nsid\": 2"))
                .subsystems()
                .get(0)
                .namespaces()
                .get(1);
        assertEquals(Optional.empty(), namespace.uuid());
        assertEquals(Optional.empty(), namespace.nguid());
    }

    @Test
    void shouldReadOwnWordsForStorageAndLimits() throws CommandException {
        TargetPlan plan = parse(minimal("""
                "nvmf4j": {"backend": "memory", "size": "1g", "block_size": 512}
                """, """
                , "nvmf4j": {"limits": {"queue_depth": 64, "io_queues": 2, "in_capsule_data_size": "4k",
                                         "max_io_size": "256k", "buffer_memory": "64m", "threads": 2}}
                """));
        NamespacePlan namespace = plan.subsystems().get(0).namespaces().get(0);
        assertEquals(new Backing.InMemory(1 << 30), namespace.backing());
        assertEquals(OptionalInt.of(512), namespace.blockSizeBytes());
        assertEquals(new TargetLimits(64, 2, 4096, 256 << 10, 64 << 20, 2), plan.limits());
        assertTrue(plan.subsystems().get(0).allowAnyHost());
    }

    @Test
    void shouldReadOwnWordsForFiles() throws CommandException {
        TargetPlan plan = parse(minimal("""
                "device": {"path": "/x"}, "nvmf4j": {"size": "10g", "direct": true, "read_only": "1", "ptpl": "/r"}
                """, ""));
        assertEquals(
                new Backing.InFile(Path.of("/x"), new FileOptions(10L << 30, true, true)),
                plan.subsystems().get(0).namespaces().get(0).backing());
        assertEquals(
                Optional.of(Path.of("/r")),
                plan.subsystems().get(0).namespaces().get(0).ptplFile());
    }

    @Test
    void shouldTakeLargestLimitWhenPortsDiffer() throws CommandException {
        String second = """
                {"addr": {"adrfam": "ipv6", "traddr": "::1", "trsvcid": "4421", "trtype": "tcp"},
                 "param": {"inline_data_size": "32768"}, "portid": 8, "subsystems": []}, {
                """;
        TargetPlan plan = parse(SAVED.replaceFirst("\"ports\": \\[\\s*\\{", "\"ports\": [" + second));
        assertEquals(2, plan.listeners().size());
        assertEquals(32768, plan.limits().inCapsuleDataBytes());
        assertTrue(plan.warnings().contains("f: ports differ in inline_data_size of tcp, all get 32768"));
    }

    @Test
    void shouldServeWhatKernelTargetServedOverRdma() throws CommandException {
        TargetPlan plan = parse(SAVED.replace(
                "\"trtype\": \"tcp\", \"tsas\": \"none\"", "\"trtype\": \"rdma\", \"tsas\": \"connected\""));
        assertEquals(SAVED_WARNINGS, plan.warnings());
        assertEquals(
                List.of(new ListenerConfig(
                        7, TransportType.RDMA, new InetSocketAddress("192.168.1.2", 4420), Set.of(NQN))),
                plan.listeners());
        assertEquals(16384, plan.rdma().inCapsuleDataBytes());
        assertEquals(TargetLimits.DEFAULT.inCapsuleDataBytes(), plan.limits().inCapsuleDataBytes());
    }

    @Test
    void shouldKeepInCapsuleDataOfTransportsApart() throws CommandException {
        String second = """
                {"addr": {"adrfam": "ipv6", "traddr": "::1", "trsvcid": "4421", "trtype": "rdma"},
                 "param": {"inline_data_size": "4112"}, "portid": 8, "subsystems": []}, {
                """;
        TargetPlan plan = parse(SAVED.replaceFirst("\"ports\": \\[\\s*\\{", "\"ports\": [" + second));
        assertEquals(SAVED_WARNINGS, plan.warnings());
        assertEquals(16384, plan.limits().inCapsuleDataBytes());
        assertEquals(4112, plan.rdma().inCapsuleDataBytes());
    }

    @Test
    void shouldReadOwnWordsForRdma() throws CommandException {
        TargetPlan plan = parse(minimal("\"device\": {\"path\": \"/x\"}", """
                , "nvmf4j": {"limits": {"rdma_in_capsule": "8k", "rdma_receive_memory": "64m", "poll": true}}
                """));
        assertEquals(new RdmaConfig(8192, 64 << 20), plan.rdma());
        assertTrue(plan.limits().poll());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"trtype\": \"tcp\", \"tsas\": \"none\" | \"trtype\": \"rdma\", \"tsas\": \"datagram\" | ports[0].addr.tsas is 'datagram', but there are only reliable connections",
                "\"allow_any_host\": \"0\" | \"allow_any_host\": \"0\", \"serail\": \"1\" | subsystems[0].attr.serail is an unknown key; did you mean serial?",
                "\"portid\": 7 | \"portid\": 7, \"color\": 1 | ports[0].color is an unknown key; known are addr, ana_groups, nvmf4j, param, portid, referrals, subsystems",
                "\"path\": \"/dev/nvme0n1\" | \"path\": \"/dev/nvme0n1\", \"pth\": 1 | subsystems[0].namespaces[0].device.pth is an unknown key; did you mean path?",
                "\"trtype\": \"tcp\" | \"trtype\": \"fc\" | ports[0].addr.trtype is 'fc', which is no transport; there are tcp and rdma",
                "\"adrfam\": \"ipv4\" | \"adrfam\": \"ib\" | ports[0].addr.adrfam is 'ib', it can be ipv4 or ipv6",
                "192.168.1.2 | fe80::1 | ports[0].addr.traddr is 'fe80::1', which is no ipv4 address",
                "192.168.1.2 | storage | ports[0].addr.traddr is 'storage', which is no ipv4 address",
                "\"4420\" | \"nvme\" | ports[0].addr.trsvcid is 'nvme', not a number from 0 to 65535",
                "\"tsas\": \"none\" | \"tsas\": \"tls1.3\" | ports[0].addr.tsas is 'tls1.3', but TLS is not supported, so the data would travel in the clear",
                "\"not specified\" | \"required\" | ports[0].addr.treq is 'required', but TLS is not supported, so the data would travel in the clear",
                "\"key\": \"\" | \"key\": \"DHHC-1:00:x:\" | hosts[0].dhchap.key is set, but authentication is not supported, so the host would get in without",
                "\"ctrl_key\": \"\" | \"ctrl_key\": \"k\" | hosts[0].dhchap.ctrl_key is set, but authentication is not supported, so the host would get in without",
                "\"state\": \"optimized\" | \"state\": \"good\" | ports[0].ana_groups[0].ana.state is 'good', which is no ANA state; there are optimized, non-optimized, inaccessible, persistent-loss, change",
                "\"ana_grpid\": 1 | \"ana_grpid\": 129 | subsystems[0].namespaces[0].ana_grpid is '129', not a number from 1 to 128",
                "\"grpid\": 1} | \"grpid\": 0} | ports[0].ana_groups[0].grpid is '0', not a number from 1 to 128",
                "\"referrals\": [] | \"referrals\": [{\"name\": \"a\", \"addr\": {}}] | ports[0].referrals[0].addr.trtype is missing",
                "nqn.2014-08.org.nvmexpress.discovery | disc | discovery.nqn cannot be served: the NQN 'disc' does not start with nqn.yyyy-mm. and a domain, as in nqn.2024-01.com.example:disk1",
                "\"enable\": 0, \"io_timeout\" | \"enable\": 1, \"io_timeout\" | subsystems[0].passthru[0].enable is '1', but passing commands through to a controller is not supported",
                "\"nsid\": 2 | \"nsid\": 1 | subsystems[0].namespaces[1].nsid is 1, which another namespace of the subsystem has",
                "\"nsid\": 2 | \"nsid\": 0 | subsystems[0].namespaces[1].nsid is '0', not a number from 1 to 1024",
                "\"nsid\": 2 | \"n\": 2 | subsystems[0].namespaces[1].n is an unknown key; known are ana, ana_grpid, buffered_io, device, enable, nsid, nvmf4j, p2pmem, resv, revalidate_size",
                "\"path\": \"/dev/nvme0n1\" | \"path\": \"\" | subsystems[0].namespaces[0].device.path is missing",
                "d592cdf3-5d1c | d592cdf35d1c | subsystems[0].namespaces[0].device.uuid 'd592cdf35d1c-44e0-8412-3fcf7d99df27' is no UUID, it looks like 7d444840-9dc0-11d1-b245-5ffdce74fad2",
                "ef90689c-6c46 | ef90689c | subsystems[0].namespaces[0].device.nguid: an NGUID has 32 hexadecimal digits, not 'ef90689c-d44c-89c1-4067801309a8'",
                "[\"nqn.2026-01.com.example:disk\"] | [\"other\"] | ports[0].subsystems[0] names other, which is not in subsystems",
                "[\"nqn.2026-01.com.example:host\"] | [\"other\"] | subsystems[0].allowed_hosts[0] names other, which is not in hosts",
                "\"portid\": 7 | \"portid\": 70000 | ports[0].portid is '70000', not a number from 0 to 65535",
                "\"inline_data_size\": \"16384\" | \"inline_data_size\": 100 | ports[0].param.inline_data_size cannot be: in-capsule data size 100 is no multiple of 16",
                "\"inline_data_size\": \"16384\" | \"inline_data_size\": 1000000 | ports[0].param.inline_data_size cannot be: in-capsule data size 1000000 is not between 0 and 131072",
                "\"referrals\": [] | \"referrals\": 3 | ports[0].referrals is not an array",
                "\"param\": {\"inline | \"param\": 3, \"param2\": {\"inline | ports[0].param2 is an unknown key; did you mean param?",
                "\"allow_any_host\": \"0\" | \"allow_any_host\": \"maybe\" | subsystems[0].attr.allow_any_host is 'maybe', it can be true or false, or 1 or 0",
                "\"serial\": \"123456789abcdef\" | \"serial\": \"123456789abcdef0123456\" | subsystems[0].nqn cannot be served: serial number '123456789abcdef0123456' is not 1 to 20 printable ASCII characters",
            })
    void shouldSayWhereTheFileIsWrong(String from, String to, String problem) {
        assertTrue(SAVED.contains(from), from);
        CommandException e = assertThrows(CommandException.class, () -> parse(SAVED.replace(from, to)));
        assertEquals("f: " + problem, e.getMessage());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"cntlid_min\": \"1\" | \"cntlid_min\": \"100\" | subsystems[0].attr.cntlid_min is '100', but controller IDs start at 1",
                "\"qid_max\": \"128\" | \"qid_max\": \"8\" | subsystems[0].attr.qid_max is '8', but set nvmf4j.limits.io_queues instead",
                "\"subsystems\": [\"nqn.2026-01.com.example:disk\"] | \"subsystems\": [] | subsystems has nqn.2026-01.com.example:disk on no port, no host can reach it",
                "\"allowed_hosts\": [\"nqn.2026-01.com.example:host\"] | \"allowed_hosts\": [] | subsystems has nqn.2026-01.com.example:disk with no allowed host, no host may connect",
            })
    void shouldWarnWhenSomethingIsNotDoneThatChangesNoMeaning(String from, String to, String warning)
            throws CommandException {
        assertTrue(SAVED.contains(from), from);
        assertEquals(List.of("f: " + warning), warnings(SAVED.replace(from, to)));
    }

    @Test
    void shouldReadAnaGroupsReferralsAndTheNameOfDiscovery() throws CommandException {
        TargetPlan plan = parse(
                SAVED.replace("\"grpid\": 1}", "\"grpid\": 1}, {\"ana\": {\"state\": \"inaccessible\"}, \"grpid\": 2}")
                        .replace("\"ana_grpid\": 1", "\"ana_grpid\": 2")
                        .replace("nqn.2014-08.org.nvmexpress.discovery", "nqn.2026-01.com.example:disc")
                        .replace("\"referrals\": []", """
                        "referrals": [
                          {"name": "a", "enable": "1", "addr": {"trtype": "tcp", "traddr": "192.0.2.1", "trsvcid": "8009"}},
                          {"name": "b", "enable": "0", "addr": {"trtype": "tcp", "traddr": "192.0.2.2", "trsvcid": "8009"}}]
                        """));
        assertEquals(
                Map.of(NQN, Map.of(2, AnaState.INACCESSIBLE)),
                plan.listeners().get(0).ana());
        assertEquals(2, plan.subsystems().get(0).namespaces().get(0).anaGroup());
        assertEquals(
                new DiscoveryConfig(
                        "nqn.2026-01.com.example:disc",
                        List.of(new ReferralConfig(
                                TransportType.TCP, new InetSocketAddress("192.0.2.1", 8009), Nqn.DISCOVERY))),
                plan.discovery());
        assertEquals(List.of(), warnings(SAVED));
    }

    @Test
    void shouldTakeAnEmptyFileWhenThingsMayComeLater() throws CommandException {
        assertEquals(List.of(), NvmetConfig.parse("f", "{}", true).listeners());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[] | f: the file is not a JSON object",
                "{} | f: subsystems has no subsystem, there is nothing to serve",
                "{\"subsystem\": []} | f: subsystem is an unknown key; did you mean subsystems?",
                "{\"subsystems\": [3]} | f: subsystems[0] is not an object",
                "{\"subsystems\": [{\"nqn\": \"disk\"}]} | f: subsystems[0].nqn cannot be served: the NQN 'disk' does not start with nqn.yyyy-mm. and a domain, as in nqn.2024-01.com.example:disk1",
                "{\"subsystems\": [{}]} | f: subsystems[0].nqn is missing",
                "{\"subsystems\": [{\"nqn\": \"nqn.2026-01.com.example:a\"}]} | f: ports has no port, no host could connect",
                "{\"nvmf4j\": {\"limit\": {}}, \"subsystems\": [{\"nqn\": \"nqn.2026-01.com.example:a\"}], \"ports\": [{\"portid\": 1, \"addr\": {\"trtype\": \"tcp\", \"traddr\": \"::\", \"trsvcid\": 1}}]} | f: nvmf4j.limit is an unknown key; did you mean limits?",
            })
    void shouldSayWhatTheFileLacks(String json, String sentence) {
        CommandException e = assertThrows(CommandException.class, () -> parse(json));
        assertEquals(sentence, e.getMessage());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"queue_depth\": 5 | f: nvmf4j.limits: queue depth 5 is not between 16 and 1024",
                "\"max_io_size\": \"3m\" | f: nvmf4j.limits: maximum transfer size 3145728 is no power of two",
                "\"rdma_in_capsule\": 100 | f: nvmf4j.limits: in-capsule data size 100 is no multiple of 16",
                "\"rdma_receive_memory\": \"1k\" | f: nvmf4j.limits: receive memory of 1024 bytes is less than 1048576",
                "\"poll\": \"always\" | f: nvmf4j.limits.poll is 'always', it can be true or false, or 1 or 0",
                "\"max_io_size\": \"lots\" | f: nvmf4j.limits.max_io_size 'lots' is not a number of bytes, write it as 4096, 512k, 10m or 2g",
                "\"mdts\": 3 | f: nvmf4j.limits.mdts is an unknown key; known are buffer_memory, in_capsule_data_size, io_queues, max_io_size, poll, queue_depth, rdma_in_capsule, rdma_receive_memory, threads",
            })
    void shouldSayWhichLimitIsWrong(String limit, String sentence) {
        String json = minimal("\"device\": {\"path\": \"/x\"}", ", \"nvmf4j\": {\"limits\": {" + limit + "}}");
        CommandException e = assertThrows(CommandException.class, () -> parse(json));
        assertEquals(sentence, e.getMessage());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"backend\": \"memory\" | f: subsystems[0].namespaces[0].nvmf4j.size is missing, memory has no size of its own",
                "\"backend\": \"tape\" | f: subsystems[0].namespaces[0].nvmf4j.backend is 'tape', it can be file or memory",
                "\"block_size\": 1024 | f: subsystems[0].namespaces[0].nvmf4j.block_size is 1024, it can be 512 or 4096",
                "\"size\": \"10x\" | f: subsystems[0].namespaces[0].nvmf4j.size '10x' is not a number of bytes, write it as 4096, 512k, 10m or 2g",
            })
    void shouldSayWhichStorageIsWrong(String own, String sentence) {
        String json = minimal("\"device\": {\"path\": \"/x\"}, \"nvmf4j\": {" + own + "}", "");
        CommandException e = assertThrows(CommandException.class, () -> parse(json));
        assertEquals(sentence, e.getMessage());
    }

    @Test
    void shouldSayWhereTheJsonBreaks() {
        CommandException e = assertThrows(CommandException.class, () -> parse("{\n  \"a\" 1}"));
        assertTrue(e.getMessage().startsWith("f line 2 column "), e::getMessage);
        CommandException twice = assertThrows(CommandException.class, () -> parse("{\"a\": 1, \"a\": 2}"));
        assertTrue(twice.getMessage().endsWith(": an object has the key 'a' twice"), twice::getMessage);
        CommandException more = assertThrows(CommandException.class, () -> parse("{} {}"));
        assertTrue(more.getMessage().endsWith(": the file goes on after the end of its JSON"), more::getMessage);
        CommandException cut = assertThrows(CommandException.class, () -> parse("{\n \"hosts\": [{\"nqn\": \"x\""));
        assertTrue(
                cut.getMessage().matches("f line 2 column \\d+: the file ends inside the JSON; see that .* closed"),
                cut::getMessage);
        assertThrows(CommandException.class, () -> parse(""));
    }

    private static String minimal(String namespace, String atTheTop) {
        return """
                {"subsystems": [{"nqn": "nqn.2026-01.com.example:disk", "attr": {"allow_any_host": 1},
                                 "namespaces": [{"nsid": 1, %s}]}],
                 "ports": [{"portid": 1, "addr": {"trtype": "tcp", "traddr": "127.0.0.1", "trsvcid": 4420},
                            "subsystems": ["nqn.2026-01.com.example:disk"]}]
                 %s}
                """.formatted(namespace, atTheTop);
    }
}
