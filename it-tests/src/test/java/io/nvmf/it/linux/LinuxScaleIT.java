package io.nvmf.it.linux;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The Linux kernel's own host with many subsystems and namespaces of our target, which runs outside. One boot for all checks. */
@GuestTest
class LinuxScaleIT {
    private static final String NQN = "nqn.2026-01.io.nvmf:linux-scale";
    private static final int SUBSYSTEMS = 20;
    private static final int NAMESPACES = 10;
    private static final int PATTERN_BYTES = 65536;
    private static final int IMAGE_BYTES = 1 << 20;

    private final Path images = House.emptyDirectory("linux-scale-images");

    @TestFactory
    Stream<DynamicTest> shouldServeManyNamespacesToTheLinuxHost() throws Exception {
        Guest guest = new Guest("linux-scale");
        int port = House.freePort();
        Path socket = images.resolve("rpc");
        Path config = Files.writeString(images.resolve("config.json"), config(port));
        try (TargetProcess target = new TargetProcess(
                images.resolve("target.log"),
                List.of("--config", config.toString(), "--rpc-socket", socket.toString()))) {
            target.start();
            return guest.answering("ctl", call -> TargetProcess.control(socket, call))
                    .answering("image", name -> images.resolve(name) + "\n")
                    .answering("images", this::check)
                    .run("linux-scale.sh", "10.0.2.2", "" + port, NQN, "" + SUBSYSTEMS, "" + NAMESPACES)
                    .tests();
        }
    }

    /** As nvmetcli saves it. */
    private String config(int port) {
        String names = IntStream.rangeClosed(1, SUBSYSTEMS)
                .mapToObj(i -> "\"" + NQN + "-" + i + "\"")
                .collect(Collectors.joining(","));
        String subsystems =
                IntStream.rangeClosed(1, SUBSYSTEMS).mapToObj(this::subsystem).collect(Collectors.joining(",\n"));
        return """
                {"ports": [{"portid": 1, "subsystems": [%s],
                  "addr": {"trtype": "tcp", "adrfam": "ipv4", "traddr": "127.0.0.1", "trsvcid": "%d"}}],
                "subsystems": [%s]}
                """.formatted(names, port, subsystems);
    }

    private String subsystem(int i) {
        String namespaces = IntStream.rangeClosed(1, NAMESPACES)
                .mapToObj(nsid -> """
                        {"nsid": %d, "enable": 1, "device": {"path": "%s"},
                         "nvmf4j": {"backend": "file", "size": "1m", "block_size": 512}}""".formatted(nsid, images.resolve(i + "-" + nsid)))
                .collect(Collectors.joining(",\n"));
        return "{\"nqn\": \"%s-%d\", \"attr\": {\"allow_any_host\": \"1\"}, \"namespaces\": [%s]}"
                .formatted(NQN, i, namespaces);
    }

    /** Fails unless each file begins and ends with its name, over and over, as the script has it. */
    private String check(String names) throws IOException {
        for (String name : names.split(" ")) {
            byte[] pattern = Arrays.copyOf((name + "\n").repeat(PATTERN_BYTES).getBytes(US_ASCII), PATTERN_BYTES);
            byte[] image = Files.readAllBytes(images.resolve(name));
            if (image.length != IMAGE_BYTES
                    || !Arrays.equals(pattern, Arrays.copyOf(image, PATTERN_BYTES))
                    || !Arrays.equals(pattern, Arrays.copyOfRange(image, IMAGE_BYTES - PATTERN_BYTES, IMAGE_BYTES))) {
                throw new IOException("the image " + name + " has something else");
            }
        }
        return "";
    }
}
