package io.nvmf.tools.config;

import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.util.NetUtil;
import io.nvmf.target.backend.file.FileOptions;
import io.nvmf.target.config.AnaState;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.config.RdmaConfig;
import io.nvmf.target.config.ReferralConfig;
import io.nvmf.target.config.SubsystemConfig;
import io.nvmf.target.config.TargetConfig;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.target.state.StateFile;
import io.nvmf.tools.CommandException;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** Writes what {@link NvmetConfig} reads: a target that is started with it serves the same. */
public final class NvmetWriter {
    private static final String OWN = "nvmf4j";
    private static final JsonMapper MAPPER = JsonMapper.builder().build();
    private static final DefaultPrettyPrinter PRINTER =
            new DefaultPrettyPrinter().withArrayIndenter(DefaultIndenter.SYSTEM_LINEFEED_INSTANCE);

    private NvmetWriter() {}

    /** Writes the file whole, or leaves it as it was. */
    public static void write(Path path, TargetConfig config) throws IOException, CommandException {
        Path file = Files.exists(path) ? path.toRealPath() : path.toAbsolutePath();
        requireWritable(file);
        byte[] text = (text(config) + "\n").getBytes(StandardCharsets.UTF_8);
        Path fresh = createBeside(file);
        try {
            try (FileChannel channel = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
                for (ByteBuffer left = ByteBuffer.wrap(text); left.hasRemaining(); ) {
                    channel.write(left);
                }
                channel.force(true);
            }
            if (Files.exists(file)) {
                Files.setPosixFilePermissions(fresh, Files.getPosixFilePermissions(file));
            }
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
            try (FileChannel directory = FileChannel.open(file.getParent(), StandardOpenOption.READ)) {
                directory.force(true);
            }
        } finally {
            Files.deleteIfExists(fresh);
        }
    }

    private static void requireWritable(Path file) throws CommandException {
        if (Files.isDirectory(file)) {
            throw new CommandException(file + " is a directory: name a file");
        }
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new CommandException(file + " is no file: name one that may be replaced");
        }
        if (!Files.isDirectory(file.getParent())) {
            throw new CommandException(file + " cannot be written: there is no directory " + file.getParent());
        }
    }

    private static Path createBeside(Path file) throws IOException {
        try {
            return Files.createTempFile(file.getParent(), "." + file.getFileName(), ".new");
        } catch (AccessDeniedException e) {
            throw new IOException(
                    file + " cannot be written: the target may not make a file in " + file.getParent(), e);
        } catch (FileSystemException e) {
            throw new IOException(file + " cannot be written: " + e.getReason(), e);
        }
    }

    static String text(TargetConfig config) throws CommandException, IOException {
        return MAPPER.writer(PRINTER).writeValueAsString(toJson(config));
    }

    private static ObjectNode toJson(TargetConfig config) throws CommandException {
        ObjectNode root = object();
        root.putObject("discovery").put("nqn", config.discovery().nqn());
        ArrayNode hosts = root.putArray("hosts");
        TreeSet<String> names = new TreeSet<>();
        config.subsystems().forEach(subsystem -> names.addAll(subsystem.allowedHosts()));
        names.forEach(name -> hosts.addObject().put("nqn", name));
        ArrayNode ports = root.putArray("ports");
        for (ListenerConfig listener : config.listeners()) {
            ports.add(port(listener, config));
        }
        ArrayNode subsystems = root.putArray("subsystems");
        for (SubsystemConfig subsystem : config.subsystems()) {
            subsystems.add(subsystem(subsystem));
        }
        root.putObject(OWN).set("limits", limits(config));
        return root;
    }

    private static ObjectNode port(ListenerConfig listener, TargetConfig config) {
        ObjectNode port = object();
        port.put("portid", listener.portId());
        port.set("addr", address(listener.transport().toString(), listener.address()));
        ArrayNode nqns = port.putArray("subsystems");
        new TreeSet<>(listener.subsystems()).forEach(nqns::add);
        if (!listener.ana().isEmpty()) {
            ArrayNode states = port.putObject(OWN).putArray("ana_states");
            new TreeMap<>(listener.ana()).forEach((nqn, groups) -> addStates(states, nqn, groups));
        }
        ArrayNode referrals = port.putArray("referrals");
        for (ReferralConfig referral : config.discovery().referrals()) {
            ObjectNode one = referrals.addObject();
            one.put("name", "referral" + referrals.size());
            one.put("enable", 1);
            one.set("addr", address(referral.transport().toString(), referral.address()));
            one.putObject(OWN).put("nqn", referral.nqn());
        }
        return port;
    }

    private static void addStates(ArrayNode states, String nqn, Map<Integer, AnaState> groups) {
        new TreeMap<>(groups)
                .forEach((group, state) ->
                        states.addObject().put("nqn", nqn).put("grpid", group).put("state", state.toString()));
    }

    private static ObjectNode address(String transport, InetSocketAddress address) {
        return object().put("trtype", transport)
                .put("adrfam", address.getAddress() instanceof Inet6Address ? "ipv6" : "ipv4")
                .put("traddr", NetUtil.toAddressString(address.getAddress()))
                .put("trsvcid", Integer.toString(address.getPort()));
    }

    private static ObjectNode subsystem(SubsystemConfig config) throws CommandException {
        ObjectNode subsystem = object().put("nqn", config.nqn());
        subsystem
                .putObject("attr")
                .put("allow_any_host", config.allowAnyHost() ? "1" : "0")
                .put("serial", config.serialNumber())
                .put("model", config.modelNumber());
        if (config.maxNamespaces() != TargetLimits.MAX_NSID) {
            subsystem.putObject(OWN).put("max_namespaces", config.maxNamespaces());
        }
        ArrayNode hosts = subsystem.putArray("allowed_hosts");
        new TreeSet<>(config.allowedHosts()).forEach(hosts::add);
        ArrayNode namespaces = subsystem.putArray("namespaces");
        for (NamespaceConfig namespace : config.namespaces()) {
            namespaces.add(namespace(namespace));
        }
        return subsystem;
    }

    private static ObjectNode namespace(NamespaceConfig config) throws CommandException {
        ObjectNode namespace = object();
        namespace.put("nsid", config.nsid()).put("enable", 1).put("ana_grpid", config.anaGroup());
        ObjectNode device = namespace.putObject("device");
        ObjectNode own = namespace.putObject(OWN);
        Backing backing = Backing.of(config.device());
        if (backing instanceof Backing.InFile file) {
            FileOptions options = file.options();
            device.put("path", file.path().toAbsolutePath().toString());
            own.put("backend", "file").put("direct", options.direct()).put("read_only", options.readOnly());
        } else if (backing instanceof Backing.InMemory memory) {
            own.put("backend", "memory").put("size", Long.toString(memory.sizeBytes()));
        }
        own.put("block_size", config.blockSizeBytes());
        StateFile state = config.stateFile();
        boolean isByDefault = backing instanceof Backing.InFile file
                && state != null
                && state.path().equals(StateFile.beside(file.path()));
        if (state != null && !isByDefault) {
            own.put("ptpl", state.path().toString());
        }
        device.put("uuid", config.uuid().toString()).put("nguid", config.nguid().toString());
        return namespace;
    }

    private static ObjectNode limits(TargetConfig config) {
        ObjectNode limits = object().put("queue_depth", config.limits().maxQueueDepth())
                .put("io_queues", config.limits().maxIoQueues())
                .put("in_capsule_data_size", config.limits().inCapsuleDataBytes())
                .put("max_io_size", config.limits().maxTransferBytes())
                .put("buffer_memory", config.limits().bufferMemoryBytes())
                .put("threads", config.limits().eventLoops());
        if (config.limits().poll()) {
            limits.put("poll", true);
        }
        if (!config.rdma().equals(RdmaConfig.DEFAULT)) {
            limits.put("rdma_in_capsule", config.rdma().inCapsuleDataBytes())
                    .put("rdma_receive_memory", config.rdma().receiveMemoryBytes());
        }
        return limits;
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }
}
