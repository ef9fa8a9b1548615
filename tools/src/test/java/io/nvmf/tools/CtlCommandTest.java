package io.nvmf.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.nvmf.initiator.NvmfHost;
import io.nvmf.initiator.controller.ConnectOptions;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.target.NvmfTarget;
import io.nvmf.target.config.TargetConfig;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.tools.config.NvmetConfig;
import io.nvmf.tools.config.TargetPlan;
import io.nvmf.tools.rpc.RpcServer;
import io.nvmf.tools.rpc.TargetMethods;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code nvmf ctl} and the methods behind it, on a target that serves nothing at first. */
class CtlCommandTest {
    private static final JsonMapper MAPPER = JsonMapper.builder().build();
    private static final String NQN = "nqn.2026-01.com.example:ctl";
    private static final String HOST = "nqn.2026-01.com.example:host";

    @TempDir
    Path directory;

    private Path saved;
    private NvmfTarget target;
    private RpcServer server;

    @BeforeEach
    void start() throws IOException {
        saved = directory.resolve("config.json");
        start(new TargetConfig(List.of(), List.of(), new TargetLimits(128, 8, 8192, 1 << 20, 16 << 20, 2)));
    }

    private void start(TargetConfig config) throws IOException {
        target = NvmfTarget.start(config, new MissingRdma());
        server = RpcServer.start(socket(), new TargetMethods(target, Optional.of(saved)));
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
        target.close();
    }

    private Path socket() {
        return directory.resolve("socket");
    }

    private CommandRun ctl(String... words) {
        List<String> all = new ArrayList<>(List.of("ctl", "-s", socket().toString()));
        all.addAll(Arrays.asList(words));
        return CommandRun.of(all.toArray(String[]::new));
    }

    private JsonNode succeed(String... words) throws IOException {
        CommandRun run = ctl(words);
        assertEquals(0, run.status(), run::err);
        return MAPPER.readTree(run.out());
    }

    private void fail(String message, String... words) {
        CommandRun run = ctl(words);
        assertEquals("nvmf ctl: " + message + "\n", run.err());
        assertEquals(1, run.status());
    }

    private void createSubsystem() throws IOException {
        succeed("nvmf_create_subsystem", "nqn=" + NQN, "serial_number=00042");
        succeed("nvmf_subsystem_add_ns", "nqn=" + NQN, "namespace.bdev_name=memory:16m,block-size=512");
    }

    /** Returns its port. */
    private int addListener() throws IOException {
        succeed(
                "nvmf_subsystem_add_listener",
                "nqn=" + NQN,
                "listen_address.trtype=TCP",
                "listen_address.adrfam=ipv4",
                "listen_address.traddr=127.0.0.1",
                "listen_address.trsvcid=0");
        return target.addresses().get(target.addresses().size() - 1).getPort();
    }

    private String address(int port) {
        return "{\"trtype\": \"tcp\", \"traddr\": \"127.0.0.1\", \"trsvcid\": \"" + port + "\"}";
    }

    private JsonNode subsystem() throws IOException {
        return succeed("nvmf_get_subsystems", "nqn=" + NQN).get(0);
    }

    @Test
    void shouldBuildUpWhatIsServedAndTakeItDownAgain() throws Exception {
        createSubsystem();
        int port = addListener();
        succeed("nvmf_subsystem_add_host", "nqn=" + NQN, "host=" + HOST);
        JsonNode shown = subsystem();
        assertEquals("00042", shown.get("serial_number").asText());
        assertEquals(HOST, shown.get("hosts").get(0).get("nqn").asText());
        assertEquals(1, shown.get("namespaces").get(0).get("nsid").asInt());
        assertEquals(
                Integer.toString(port),
                shown.get("listen_addresses").get(0).get("trsvcid").asText());

        try (NvmfHost host = NvmfHost.builder().hostNqn(HOST).build();
                Controller controller = host.connect(ConnectOptions.tcp("127.0.0.1", port, NQN))) {
            assertEquals(512, controller.namespace(1).blockSizeBytes());
            JsonNode controllers = succeed("nvmf_subsystem_get_controllers", "nqn=" + NQN);
            assertEquals(HOST, controllers.get(0).get("hostnqn").asText());
            assertTrue(controllers.get(0).get("num_io_qpairs").asInt() > 0);
            JsonNode queues = succeed("nvmf_subsystem_get_qpairs", "nqn=" + NQN);
            assertEquals(0, queues.get(0).get("qid").asInt());
            controller.namespace(1).write(0, ByteBuffer.allocateDirect(1024)).get(20, TimeUnit.SECONDS);
            controller.namespace(1).read(0, ByteBuffer.allocateDirect(512)).get(20, TimeUnit.SECONDS);
            JsonNode counts = succeed("nvmf_get_stats").at("/subsystems/0");
            assertEquals(
                    "{\"nqn\":\"" + NQN + "\",\"num_read_ops\":1,\"bytes_read\":512,\"num_write_ops\":1,"
                            + "\"bytes_written\":1024,\"media_errors\":0,\"namespaces\":[{\"nsid\":1,\"num_read_ops\":1,"
                            + "\"bytes_read\":512,\"num_write_ops\":1,\"bytes_written\":1024,\"media_errors\":0}]}",
                    counts.toString());
            JsonNode stats = succeed("nvmf_get_stats").get("poll_groups").get(0);
            assertEquals(1, stats.get("current_admin_qpairs").asInt());
            assertEquals("TCP", stats.get("transports").get(0).get("trtype").asText());
            succeed("nvmf_subsystem_remove_host", "nqn=" + NQN, "host=" + HOST);
            controller.ended().get(20, TimeUnit.SECONDS);
        }

        succeed("nvmf_subsystem_allow_any_host", "nqn=" + NQN);
        assertTrue(subsystem().get("allow_any_host").asBoolean());
        succeed("nvmf_subsystem_allow_any_host", "nqn=" + NQN, "disable=true");
        assertEquals(false, subsystem().get("allow_any_host").asBoolean());
        succeed("nvmf_subsystem_allow_any_host", "nqn=" + NQN, "allow_any_host=true");
        assertTrue(subsystem().get("allow_any_host").asBoolean());
        succeed("nvmf_subsystem_allow_any_host", "nqn=" + NQN, "allow_any_host=false");
        assertEquals(false, subsystem().get("allow_any_host").asBoolean());
        succeed("nvmf_subsystem_remove_ns", "nqn=" + NQN, "nsid=1");
        succeed(
                "nvmf_subsystem_remove_listener",
                "{\"nqn\": \"" + NQN + "\", \"listen_address\": " + address(port) + "}");
        assertEquals(0, target.addresses().size());
        succeed("nvmf_delete_subsystem", "nqn=" + NQN);
        assertEquals(1, succeed("nvmf_get_subsystems").size(), "discovery is left");
    }

    @Test
    void shouldServeTheSameAfterARestartWithWhatWasSaved() throws Exception {
        createSubsystem();
        Path image = directory.resolve("image");
        succeed(
                "nvmf_subsystem_add_ns",
                "nqn=" + NQN,
                "namespace.bdev_name=file:" + image + ",size=1m",
                "namespace.nsid=7",
                "namespace.uuid=7d444840-9dc0-11d1-b245-5ffdce74fad2",
                "namespace.anagrpid=3");
        succeed("nvmf_subsystem_resize_ns", "nqn=" + NQN, "nsid=7", "size=2m");
        int port = addListener();
        succeed(
                "nvmf_subsystem_listener_set_ana_state",
                "{\"nqn\": \"" + NQN + "\", \"ana_state\": \"non_optimized\", \"anagrpid\": 3, \"listen_address\": "
                        + address(port) + "}");
        succeed(
                "nvmf_discovery_add_referral",
                "address.trtype=tcp",
                "address.traddr=192.0.2.1",
                "address.trsvcid=8009");
        JsonNode before = succeed("nvmf_get_subsystems");
        JsonNode listeners = succeed("nvmf_subsystem_get_listeners", "nqn=" + NQN);
        JsonNode referrals = succeed("nvmf_discovery_get_referrals");
        assertEquals(
                "non_optimized",
                listeners.get(0).get("ana_states").get(2).get("ana_state").asText());
        assertEquals(1, referrals.size());
        succeed("save_config");
        stop();

        TargetPlan plan = NvmetConfig.read(saved, false);
        assertEquals(
                List.of(),
                plan.warnings().stream().filter(w -> !w.contains("no host may")).toList());
        start(plan.open());
        assertEquals(before, succeed("nvmf_get_subsystems"));
        assertEquals(listeners, succeed("nvmf_subsystem_get_listeners", "nqn=" + NQN));
        assertEquals(referrals, succeed("nvmf_discovery_get_referrals"));
        succeed(
                "nvmf_discovery_remove_referral",
                "address.trtype=tcp",
                "address.traddr=192.0.2.1",
                "address.trsvcid=8009");
        succeed("nvmf_subsystem_set_ns_ana_group", "nqn=" + NQN, "nsid=7", "anagrpid=1");
        Path other = directory.resolve("other.json");
        succeed("save_config", "filename=" + other);
        assertEquals(0, NvmetConfig.read(other, false).discovery().referrals().size());
        assertEquals(2 << 20, Files.size(image));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nvmf_nothing | | Method not found; rpc_get_methods lists those there are (-32601)",
                "nvmf_get_subsystem | | Method not found; did you mean nvmf_get_subsystems? (-32601)",
                "bdev_malloc_create | num_blocks=8 block_size=512 | Method not found: devices are not made beforehand: give nvmf_subsystem_add_ns a bdev_name like memory:64m (-32601)",
                "bdev_null_create | | Method not found: devices are not made beforehand: give nvmf_subsystem_add_ns a bdev_name like memory:64m or file:/path; nvmf_get_subsystems shows those there are (-32601)",
                "nvmf_create_transport | trtype=tcp | Method not found: transports are there when a listener names them, and limits are flags of nvmf target: leave it out (-32601)",
                "framework_start_init | | Method not found: the target is ready from the start: leave it out (-32601)",
                "nvmf_create_subsystem | nqn=nqn.2026-01.com.example:x max_namespaces=1025 | nvmf_create_subsystem: max_namespaces is '1025', not a number from 0 to 1024 (-32602)",
                "nvmf_create_subsystem | nqn=nqn.2026-01.com.example:x wzsl=8 | nvmf_create_subsystem: wzsl is '8', but what one Write Zeroes may cover is not chosen (-32602)",
                "nvmf_subsystem_add_ns | nqn=nqn.2026-01.com.example:ctl bdev_name=file:disk.img | nvmf_subsystem_add_ns: namespace.bdev_name names disk.img, which is relative: the target runs elsewhere, so begin at /, as $PWD/disk.img in a shell (-32602)",
                "nvmf_subsystem_add_ns | nqn=nqn.2026-01.com.example:ctl bdev_name=memory:1m,ptpl=p | nvmf_subsystem_add_ns: namespace.ptpl_file names p, which is relative: the target runs elsewhere, so begin at /, as $PWD/p in a shell (-32602)",
                "save_config | filename=c.json | save_config: filename names c.json, which is relative: the target runs elsewhere, so begin at /, as $PWD/c.json in a shell (-32602)",
                "nvmf_subsystem_add_listener | nqn=nqn.2026-01.com.example:ctl sock_impl=ssl | nvmf_subsystem_add_listener: sock_impl is 'ssl', but there is one kind of sockets, without TLS (-32602)",
                "nvmf_discovery_add_referral | traddr=192.0.2.1 allow_any_host=false | nvmf_discovery_add_referral: allow_any_host is 'false', but every host is told of a referral (-32602)",
                "nvmf_create_subsystem | nqn=disk | the NQN 'disk' does not start with nqn.yyyy-mm. and a domain, as in nqn.2024-01.com.example:disk1 (-32602)",
                "nvmf_create_subsystem | nqn=nqn.2026-01.com.example:ctl | there is a subsystem nqn.2026-01.com.example:ctl already (-32602)",
                "nvmf_create_subsystem | nqn=nqn.2026-01.com.example:x passthrough=true | nvmf_create_subsystem: passthrough is 'true', but commands are not passed through (-32602)",
                "nvmf_create_subsystem | nqn=nqn.2026-01.com.example:x tgt_name=t2 | nvmf_create_subsystem: tgt_name is 't2', but there is one target: leave it out (-32602)",
                "nvmf_delete_subsystem | nqn=nqn.2026-01.com.example:x | there is no subsystem nqn.2026-01.com.example:x (-32602)",
                "nvmf_delete_subsystem | | nvmf_delete_subsystem: nqn is missing (-32602)",
                "nvmf_delete_subsystem | nqm=1 | nvmf_delete_subsystem: nqm is an unknown key; did you mean nqn? (-32602)",
                "nvmf_subsystem_add_ns | nqn=nqn.2026-01.com.example:ctl namespace.nsid=1 namespace.bdev_name=file:/none,size=1m | subsystem nqn.2026-01.com.example:ctl has a namespace 1 already (-32602)",
                "nvmf_subsystem_add_ns | nqn=nqn.2026-01.com.example:ctl namespace.nsid=x namespace.bdev_name=memory:1m | nvmf_subsystem_add_ns: namespace.nsid is 'x', not a number from 1 to 1024 (-32602)",
                "nvmf_subsystem_remove_ns | nqn=nqn.2026-01.com.example:ctl nsid=9 | subsystem nqn.2026-01.com.example:ctl has no namespace 9 (-32602)",
                "nvmf_subsystem_resize_ns | nqn=nqn.2026-01.com.example:ctl nsid=1 size=1000 | memory can be a multiple of 512 bytes, at most 1099511627776 long, not 1000 (-32603)",
                "nvmf_subsystem_add_host | nqn=nqn.2026-01.com.example:ctl host=nqn.2026-01.com.example:h psk=x | nvmf_subsystem_add_host: psk is 'x', but authentication is not supported (-32602)",
                "nvmf_subsystem_add_listener | nqn=nqn.2026-01.com.example:ctl listen_address.trtype=fc | nvmf_subsystem_add_listener: listen_address.trtype is 'fc', which is no transport; there are tcp and rdma (-32602)",
                "nvmf_subsystem_add_listener | nqn=nqn.2026-01.com.example:ctl secure_channel=true | nvmf_subsystem_add_listener: secure_channel is 'true', but TLS is not supported: the data would travel in the clear (-32602)",
                "nvmf_discovery_add_referral | address.trtype=tcp address.traddr=0.0.0.0 address.trsvcid=8009 | a referral leads to one address and port, not to /0.0.0.0:8009 (-32602)",
            })
    void shouldSayWhatIsWrongAndChangeNothing(String method, String params, String message) throws IOException {
        createSubsystem();
        JsonNode before = succeed("nvmf_get_subsystems");
        List<String> words = new ArrayList<>(List.of(method));
        if (params != null) {
            words.addAll(List.of(params.split(" ")));
        }
        fail(message, words.toArray(String[]::new));
        assertEquals(before, succeed("nvmf_get_subsystems"));
        assertEquals(0, target.listeners().size());
        assertEquals(0, target.administration().referrals().size());
    }

    @Test
    void shouldSayWhereAConfigurationCannotBeSaved() throws IOException {
        fail(directory + " is a directory: name a file (-32602)", "save_config", "filename=" + directory);
        Path missing = directory.resolve("no");
        fail(
                missing + "/c.json cannot be written: there is no directory " + missing + " (-32602)",
                "save_config",
                "filename=" + missing + "/c.json");
        fail("/dev/null is no file: name one that may be replaced (-32602)", "save_config", "filename=/dev/null");
    }

    @Test
    void shouldSaveToWhereALinkLeads() throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("link"), saved);
        Files.writeString(saved, "old");
        succeed("save_config", "filename=" + link);
        assertTrue(Files.isSymbolicLink(link));
        assertTrue(Files.readString(saved).contains("\"subsystems\""));
    }

    @Test
    void shouldListMethods() {
        CommandRun run = ctl("list");
        assertEquals(0, run.status());
        assertEquals(TargetMethods.NAMES, run.out().lines().toList());
    }

    @Test
    void shouldSayWhyNoTargetIsReached() throws IOException {
        server.close();
        String advice = ": start a target with --rpc-socket, or name its socket with --socket";
        fail("there is no " + socket() + advice, "nvmf_get_subsystems");
        Files.writeString(socket(), "");
        fail(socket() + " is no socket" + advice, "nvmf_get_subsystems");
        Files.delete(socket());
        try (ServerSocketChannel killed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            killed.bind(UnixDomainSocketAddress.of(socket()));
        }
        fail("no target listens on " + socket() + "" + advice, "nvmf_get_subsystems");
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    /** Adds a namespace on an image that is created for it, which must not be left. */
    private void refuse(String message, String device, String... more) throws IOException {
        List<String> before = names();
        List<String> words = new ArrayList<>(List.of("nvmf_subsystem_add_ns", "nqn=" + NQN, "bdev_name=" + device));
        words.addAll(List.of(more));
        fail(message, words.toArray(String[]::new));
        assertEquals(before, names());
    }

    @Test
    void shouldLeaveNothingOfANamespaceThatIsRefused() throws IOException {
        createSubsystem();
        String uuid = "uuid=7d444840-9dc0-11d1-b245-5ffdce74fad2";
        String nguid = "nguid=00112233445566778899aabbccddeeff";
        Path state = directory.resolve("state");
        succeed("nvmf_subsystem_add_ns", "nqn=" + NQN, "bdev_name=memory:1m", uuid, nguid, "ptpl_file=" + state);
        Path image = directory.resolve("image");
        String device = "file:" + image + ",size=1m";
        String subsystem = "subsystem " + NQN + " has two namespaces with the ";
        refuse(
                subsystem + "UUID 7d444840-9dc0-11d1-b245-5ffdce74fad2: give namespace 3 another (-32602)",
                device,
                uuid);
        refuse(subsystem + "NGUID 00112233445566778899aabbccddeeff: give namespace 3 another (-32602)", device, nguid);
        String where = "namespace 3 of " + NQN + ": ";
        String inUse = where + state + " keeps the state of another namespace already: name another file (-32602)";
        refuse(inUse, device, "ptpl_file=" + state);
        refuse(
                where + image + " is the image: name another file for what hosts reserve and protect (-32602)",
                device,
                "ptpl_file=" + image);
        refuse(where + directory + " is no regular file: name another file (-32602)", device, "ptpl_file=" + directory);
        succeed("nvmf_create_subsystem", "nqn=" + NQN + "2");
        fail(
                inUse.replace("namespace 3 of " + NQN, "namespace 1 of " + NQN + "2"),
                "nvmf_subsystem_add_ns",
                "nqn=" + NQN + "2",
                "bdev_name=memory:1m",
                uuid,
                "ptpl_file=" + state);
        succeed("nvmf_subsystem_remove_ns", "nqn=" + NQN, "nsid=2");
        succeed("nvmf_subsystem_add_ns", "nqn=" + NQN + "2", "bdev_name=memory:1m", uuid, "ptpl_file=" + state);
        Files.write(image, new byte[8192]);
        refuse(
                "namespace 2 of " + NQN + ": " + image + " is the image: name another file for what hosts reserve and"
                        + " protect (-32602)",
                "file:" + image,
                "ptpl_file=" + image);
        assertEquals(8192, Files.size(image), "what was there before stays");
    }

    @Test
    void shouldHoldASubsystemToItsNumberOfNamespacesAlsoAfterARestart() throws Exception {
        succeed("nvmf_create_subsystem", "nqn=" + NQN, "max_namespaces=1", "allow_any_host=true");
        succeed("nvmf_subsystem_add_ns", "nqn=" + NQN, "bdev_name=memory:1m", "nsid=3");
        String full = "subsystem " + NQN + " has 1 namespaces, as many as it may have (-32602)";
        fail(full, "nvmf_subsystem_add_ns", "nqn=" + NQN, "bdev_name=memory:1m");
        assertEquals(1, subsystem().get("max_namespaces").asInt());
        succeed("nvmf_subsystem_add_listener", "nqn=" + NQN, "trtype=tcp", "traddr=127.0.0.1", "trsvcid=0");
        succeed("save_config");
        stop();
        start(NvmetConfig.read(saved, false).open());
        fail(full, "nvmf_subsystem_add_ns", "nqn=" + NQN, "bdev_name=memory:1m");
        succeed("nvmf_subsystem_remove_ns", "nqn=" + NQN, "nsid=3");
        succeed("nvmf_subsystem_add_ns", "nqn=" + NQN, "bdev_name=memory:1m");
    }

    @Test
    void shouldKeepAnAddressForDiscoveryOverARestart() throws Exception {
        String discovery = "nqn=nqn.2014-08.org.nvmexpress.discovery";
        succeed("nvmf_subsystem_add_listener", discovery, "trtype=tcp", "traddr=127.0.0.1", "trsvcid=0");
        String port = "trsvcid=" + target.addresses().get(0).getPort();
        createSubsystem();
        succeed("nvmf_subsystem_add_listener", "nqn=" + NQN, "trtype=tcp", "traddr=127.0.0.1", port);
        succeed("save_config");
        stop();
        start(NvmetConfig.read(saved, false).open());
        succeed("nvmf_delete_subsystem", "nqn=" + NQN);
        assertEquals(1, succeed("nvmf_subsystem_get_listeners", discovery).size());
        succeed("nvmf_subsystem_remove_listener", discovery, "trtype=tcp", "traddr=127.0.0.1", port);
        assertEquals(0, succeed("nvmf_subsystem_get_listeners", discovery).size());
    }

    @Test
    void shouldShowADeviceAsItIsGiven() throws IOException {
        createSubsystem();
        Path image = directory.resolve("image");
        String device = "file:" + image;
        succeed("nvmf_subsystem_add_ns", "nqn=" + NQN, "bdev_name=" + device + ",size=1m,direct");
        JsonNode namespaces = subsystem().get("namespaces");
        assertEquals("memory:16777216", namespaces.get(0).get("bdev_name").asText());
        assertEquals(device + ",direct", namespaces.get(1).get("bdev_name").asText());
        fail(
                "namespace.bdev_name Malloc0 is of no known kind; write it as file:/path[,size=10g][,block-size=512|4096]"
                        + "[,direct][,read-only][,uuid=UUID][,nguid=HEX][,ptpl=/path] or memory:1g (-32602)",
                "nvmf_subsystem_add_ns",
                "nqn=" + NQN,
                "bdev_name=Malloc0");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "x | 'x' is neither KEY=VALUE nor a JSON object",
                "=x | '=x' is neither KEY=VALUE nor a JSON object",
                "a=1 a=2 | 'a=2' gives a second value",
                "a=1 a.b=2 | 'a.b=2' gives a a second value",
                "{x | '{x' is no JSON object",
            })
    void shouldRefuseWordsThatAreNoParameters(String words, String message) {
        List<String> all = new ArrayList<>(List.of("method"));
        all.addAll(List.of(words.split(" ")));
        CommandRun run = ctl(all.toArray(String[]::new));
        assertEquals(2, run.status());
        assertEquals("nvmf ctl: " + message + " (see nvmf help ctl)\n", run.err());
    }
}
