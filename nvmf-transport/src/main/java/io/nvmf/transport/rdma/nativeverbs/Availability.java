package io.nvmf.transport.rdma.nativeverbs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What this machine lacks for RDMA, looked for from the bottom up. */
final class Availability {
    private static final Set<String> ARCHITECTURES = Set.of("amd64", "aarch64");

    private static final String DEVICES = "sys/class/infiniband";

    private Availability() {}

    /** A sentence, or null if nothing is missing. */
    static String missing() {
        String system = System.getProperty("os.name");
        String architecture = System.getProperty("os.arch");
        String missing = missingOn(system, architecture);
        return missing == null ? missingAt(Path.of("/")) : missing;
    }

    static String missingAt(Path root) {
        try {
            String missing = missingFiles(root);
            if (missing == null) {
                missing = missingLibrary();
            }
            return missing == null ? missingDriver(root) : missing;
        } catch (IOException e) {
            return "What this machine has for RDMA cannot be read (" + e + ")";
        }
    }

    static String missingOn(String system, String architecture) {
        return "Linux".equals(system) && ARCHITECTURES.contains(architecture)
                ? null
                : "RDMA needs Linux on x86-64 or aarch64, this is " + system + " on " + architecture;
    }

    private static String missingLibrary() {
        if (RdmaLibrary.get() != null) {
            return null;
        }
        String message = String.valueOf(RdmaLibrary.failure().getMessage());
        return "The libraries librdmacm.so.1 and libibverbs.so.1 cannot be loaded ("
                + message.lines().findFirst().orElse("")
                + "): install them (on Debian: apt-get install librdmacm1 ibverbs-providers)";
    }

    /** What the kernel offers to user space. */
    static String missingFiles(Path root) throws IOException {
        List<String> devices = names(root.resolve(DEVICES), "");
        if (devices.isEmpty()) {
            return "There is no RDMA device on this machine: load the driver of one, or make a software one (modprobe"
                    + " rdma_rxe; rdma link add rxe0 type rxe netdev INTERFACE)";
        }
        List<String> verbs = names(root.resolve("sys/class/infiniband_verbs"), "uverbs");
        if (verbs.isEmpty()) {
            return "The kernel offers no verbs to programs: modprobe ib_uverbs";
        }
        if (!Files.exists(root.resolve("sys/class/misc/rdma_cm"))) {
            return "The kernel offers no RDMA connection manager to programs: modprobe rdma_ucm";
        }
        Path files = root.resolve("dev/infiniband");
        return Stream.concat(Stream.of("rdma_cm"), verbs.stream())
                .map(name -> unusable(files.resolve(name)))
                .filter(reason -> reason != null)
                .findFirst()
                .orElse(null);
    }

    private static String unusable(Path device) {
        if (!Files.exists(device)) {
            return "The device file " + device + " is missing: let udev make it, or give it to the container";
        }
        return Files.isReadable(device) && Files.isWritable(device)
                ? null
                : "This user may not open " + device + ": give it permission to read and write";
    }

    /** A device without the library's part of its driver is not in the library's list. */
    private static String missingDriver(Path root) throws IOException {
        RdmaLibrary library = RdmaLibrary.get();
        long list = library.ibv_get_device_list(0);
        if (list == 0) {
            return "libibverbs cannot list the RDMA devices: " + Errors.text(RdmaLibrary.errno());
        }
        // It ends with a null pointer.
        boolean isEmpty = NativeMemory.at(list, Long.BYTES).getLong(0) == 0;
        library.ibv_free_device_list(list);
        return isEmpty
                ? "libibverbs has no driver for this machine's RDMA devices ("
                        + String.join(", ", names(root.resolve(DEVICES), ""))
                        + "): install it (on Debian: apt-get install ibverbs-providers)"
                : null;
    }

    private static List<String> names(Path directory, String prefix) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.map(entry -> entry.getFileName().toString())
                    .filter(name -> name.startsWith(prefix))
                    .sorted()
                    .collect(Collectors.toList());
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
