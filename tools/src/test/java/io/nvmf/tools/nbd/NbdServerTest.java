package io.nvmf.tools.nbd;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.identify.Nguid;
import io.nvmf.initiator.NvmfHost;
import io.nvmf.initiator.controller.ConnectOptions;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.target.backend.memory.MemoryBlockDevice;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.tools.LoopbackTarget;
import io.nvmf.tools.nbd.NbdClient.Reply;
import io.nvmf.transport.EventLoops;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The server by a client that sends what it likes, over a namespace of a target in this process. */
@Timeout(120)
class NbdServerTest {
    private static final int SIZE = 8 << 20;
    private static final int BLOCK = 512;
    private static final int MAX = 1 << 20;
    private static final int ALL_FLAGS = 1 | 4 | 8 | 32 | 64 | 256;

    private LoopbackTarget target;
    private NvmfHost host;
    private Controller controller;
    private EventLoops loops;
    private NbdServer server;

    @BeforeEach
    void start() throws IOException {
        start(BLOCK);
    }

    private void start(int blockBytes) throws IOException {
        target = LoopbackTarget.serve(blockBytes, new MemoryBlockDevice(SIZE));
        loops = EventLoops.openForSockets(1, "test-nbd");
        host = NvmfHost.builder().ioThreads(2).build();
        controller =
                host.connect(ConnectOptions.tcp("127.0.0.1", target.address().getPort(), LoopbackTarget.NQN)
                        .ioQueues(2));
        serve(false);
    }

    private void serve(boolean readOnly) throws IOException {
        if (server != null) {
            server.close();
        }
        Namespace namespace = controller.namespace(1);
        NbdExport export = new NbdExport(namespace, "disk", "a disk", readOnly, MAX, true, true);
        InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        server = NbdServer.open(loops, new NbdAddress(null, anyPort), export);
    }

    @AfterEach
    void stop() {
        server.close();
        host.close();
        loops.close();
        target.close();
    }

    private NbdClient connect() throws IOException {
        return new NbdClient((InetSocketAddress) server.localAddress());
    }

    private NbdClient ready(boolean structured) throws IOException {
        NbdClient client = connect();
        client.greet(3);
        if (structured) {
            assertEquals(1, client.option(8, new byte[0]).get(0).type());
        }
        List<NbdClient.OptionReply> replies = client.option(7, NbdClient.info("", 3));
        assertEquals(1, replies.get(replies.size() - 1).type());
        client.structured = structured;
        return client;
    }

    private static byte[] random(int bytes, long seed) {
        byte[] data = new byte[bytes];
        new Random(seed).nextBytes(data);
        return data;
    }

    // ---- Negotiation

    @Test
    void shouldTellSizeFlagsNamesAndBlockSizes() throws IOException {
        try (NbdClient client = connect()) {
            assertEquals(3, client.greet(3));
            List<NbdClient.OptionReply> replies = client.option(6, NbdClient.info("disk", 1, 2, 3));
            assertEquals(5, replies.size());
            ByteBuffer export = replies.get(0).data();
            assertEquals(0, export.getShort());
            assertEquals(SIZE, export.getLong());
            assertEquals(ALL_FLAGS, export.getShort());
            assertEquals("disk", text(replies.get(1).data().position(2)));
            assertEquals("a disk", text(replies.get(2).data().position(2)));
            ByteBuffer sizes = replies.get(3).data();
            assertEquals(3, sizes.getShort());
            assertEquals(BLOCK, sizes.getInt());
            assertEquals(4096, sizes.getInt());
            assertEquals(MAX, sizes.getInt());
            assertEquals(1, replies.get(4).type());
            // It is still negotiating, and lists what it has.
            List<NbdClient.OptionReply> list = client.option(3, new byte[0]);
            assertEquals(
                    List.of(2, 1),
                    list.stream().map(NbdClient.OptionReply::type).toList());
            assertEquals("disk", text(list.get(0).data().position(4)));
            assertEquals(1, client.option(2, new byte[0]).get(0).type());
            client.assertClosed();
        }
    }

    private static String text(ByteBuffer data) {
        return StandardCharsets.UTF_8.decode(data).toString();
    }

    @ParameterizedTest
    @CsvSource({
        "5, '', 80000001",
        "10, 00, 80000001",
        "3, 00, 80000003",
        "8, 00, 80000003",
        "7, 00, 80000003",
        "7, 00000005616200, 80000003",
        "7, 000000000002, 80000003",
        "7, 00000002786d0000, 80000006",
        "6, ffffffff0000, 80000003",
    })
    void shouldRefuseAnOptionAndGoOn(int option, String hex, String type) throws IOException {
        try (NbdClient client = connect()) {
            client.greet(3);
            byte[] data = HexFormat.of().parseHex(hex);
            assertEquals(
                    (int) Long.parseLong(type, 16),
                    client.option(option, data).get(0).type());
            assertEquals(5, client.option(7, NbdClient.info("", 1, 2, 3)).size());
            assertEquals(0, client.request(0, 0, 0, BLOCK, null).error());
        }
    }

    @Test
    void shouldServeClientsOfTheOldWay() throws IOException {
        for (int flags : new int[] {1, 3}) {
            try (NbdClient client = connect()) {
                client.greet(flags);
                ByteBuffer export = client.exportName("disk", flags == 3 ? 10 : 134);
                assertEquals(SIZE, export.getLong());
                assertEquals(ALL_FLAGS, export.getShort());
                assertEquals(0, client.request(0, 0, 0, BLOCK, null).error());
            }
        }
        try (NbdClient client = connect()) {
            client.greet(1);
            assertThrows(EOFException.class, () -> client.exportName("other", 10));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "80000003",
        "000000034e42444d41474943",
        "0000000349484156454f505400000007ffffffff",
        "0000000349484156454f50540000000700002001",
    })
    void shouldCloseWhenAClientSpeaksAnotherLanguage(String hex) throws IOException {
        try (NbdClient client = connect();
                NbdClient other = ready(false)) {
            client.readGreeting();
            client.send(HexFormat.of().parseHex(hex + "00".repeat(16)));
            client.assertClosed();
            assertEquals(0, other.request(0, 0, 0, BLOCK, null).error());
        }
    }

    @Test
    void shouldCloseWhenOptionsHaveNoEnd() throws IOException {
        try (NbdClient client = connect()) {
            client.greet(3);
            for (int i = 0; i < 64; i++) {
                client.option(99, new byte[0]);
            }
            client.sendOption(99, new byte[0]);
            client.assertClosed();
        }
    }

    @Test
    void shouldUnderstandWhatComesByteForByte() throws IOException {
        try (NbdClient client = connect()) {
            client.slow = true;
            client.greet(3);
            assertEquals(3, client.option(7, NbdClient.info("disk", 3)).size());
            byte[] data = random(BLOCK, 1);
            assertEquals(0, client.request(1, 0, BLOCK, BLOCK, data).error());
            assertArrayEquals(data, client.request(0, 0, BLOCK, BLOCK, null).data());
        }
    }

    // ---- Transmission

    @ParameterizedTest
    @CsvSource({"false", "true"})
    void shouldReadWhatWasWritten(boolean structured) throws IOException {
        try (NbdClient client = ready(structured);
                NbdClient other = ready(!structured)) {
            byte[] data = random(MAX, 2);
            assertEquals(0, client.request(1, 0, MAX, MAX, data).error());
            assertEquals(
                    0,
                    client.request(1, 1, 0, BLOCK, Arrays.copyOf(data, BLOCK)).error());
            assertEquals(0, client.request(3, 0, 0, 0, null).error());
            assertArrayEquals(data, other.request(0, 0, MAX, MAX, null).data());
            assertArrayEquals(
                    Arrays.copyOf(data, BLOCK),
                    client.request(0, 0, 0, BLOCK, null).data());
            byte[] last = random(BLOCK, 3);
            assertEquals(0, client.request(1, 0, SIZE - BLOCK, BLOCK, last).error());
            assertArrayEquals(
                    last, client.request(0, 0, SIZE - BLOCK, BLOCK, null).data());
        }
    }

    @Test
    void shouldTrimAndZero() throws IOException {
        try (NbdClient client = ready(true)) {
            byte[] data = random(65536, 4);
            for (int flags : new int[] {0, 1, 2, 3}) {
                client.request(1, 0, 0, 65536, data);
                assertEquals(0, client.request(6, flags, 4096, 8192, null).error());
                byte[] expected = data.clone();
                Arrays.fill(expected, 4096, 12288, (byte) 0);
                assertArrayEquals(expected, client.request(0, 0, 0, 65536, null).data());
            }
            client.request(1, 0, 0, 65536, data);
            assertEquals(0, client.request(4, 1, 8192, 4096, null).error());
            assertArrayEquals(
                    new byte[4096], client.request(0, 0, 8192, 4096, null).data());
            assertEquals(0, client.request(6, 0, 0, SIZE, null).error());
            assertArrayEquals(
                    new byte[65536], client.request(0, 0, 0, 65536, null).data());
        }
    }

    // ---- Parts of blocks

    @ParameterizedTest
    @CsvSource({"512", "4096"})
    void shouldReadAndChangeAnyBytes(int blockBytes) throws IOException {
        stop();
        start(blockBytes);
        int span = 5 * blockBytes;
        byte[] model = random(span, 6);
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        try (NbdClient client = ready(true)) {
            client.request(1, 0, SIZE - span, span, model);
            for (int round = 0; round < 400; round++) {
                int at = random.nextInt(span);
                int length = 1 + random.nextInt(span - at);
                long offset = SIZE - span + at;
                int flags = random.nextInt(2);
                String what = "seed " + seed + ", round " + round + ": " + length + " at " + at;
                switch (random.nextInt(4)) {
                    case 0 -> {
                        byte[] data = random(length, round);
                        assertEquals(
                                0,
                                client.request(1, flags, offset, length, data).error(),
                                what);
                        System.arraycopy(data, 0, model, at, length);
                    }
                    case 1 -> {
                        assertEquals(
                                0,
                                client.request(6, flags, offset, length, null).error(),
                                what);
                        Arrays.fill(model, at, at + length, (byte) 0);
                    }
                    case 2 -> {
                        assertEquals(
                                0,
                                client.request(4, flags, offset, length, null).error(),
                                what);
                        int first = (at + blockBytes - 1) / blockBytes * blockBytes;
                        Arrays.fill(model, first, Math.max(first, (at + length) / blockBytes * blockBytes), (byte) 0);
                    }
                    default ->
                        assertArrayEquals(
                                Arrays.copyOfRange(model, at, at + length),
                                client.request(0, 0, offset, length, null).data(),
                                what);
                }
            }
            assertArrayEquals(
                    model, client.request(0, 0, SIZE - span, span, null).data(), "seed " + seed);
        }
    }

    @Test
    void shouldLoseNothingWhenClientsWriteToTheSameBlockTogether() throws IOException {
        int count = 200;
        try (NbdClient one = ready(true);
                NbdClient other = ready(false)) {
            for (int round = 0; round < 5; round++) {
                for (int i = 0; i < count; i++) {
                    one.sendRequest(1, 0, i, 2L * i, 1, new byte[] {(byte) (i + round)});
                    other.sendRequest(1, 0, i, 2L * i + 1, 1, new byte[] {(byte) (100 + i + round)});
                }
                byte[] whole = random(BLOCK, round);
                one.sendRequest(1, 0, count, BLOCK, BLOCK, whole);
                other.sendRequest(6, 0, count, 3 * BLOCK - 1, 2, null);
                for (int i = 0; i <= count; i++) {
                    assertEquals(0, one.readReply().error());
                    assertEquals(0, other.readReply().error());
                }
                byte[] data = one.request(0, 0, 0, 2 * BLOCK, null).data();
                for (int i = 0; i < count; i++) {
                    assertEquals((byte) (i + round), data[2 * i], "round " + round + ", byte " + 2 * i);
                    assertEquals((byte) (100 + i + round), data[2 * i + 1], "round " + round + ", byte " + 2 * i + 1);
                }
                assertArrayEquals(whole, Arrays.copyOfRange(data, BLOCK, 2 * BLOCK));
            }
        }
    }

    @Test
    void shouldTellBlockSizesOfOneByteToClientsThatDoNotAskForThem() throws IOException {
        stop();
        start(4096);
        for (int[] wanted : new int[][] {{}, {3}}) {
            try (NbdClient client = connect()) {
                client.greet(3);
                List<NbdClient.OptionReply> replies = client.option(7, NbdClient.info("", wanted));
                ByteBuffer sizes = replies.get(1).data();
                assertEquals(3, sizes.getShort());
                assertEquals(wanted.length == 0 ? 1 : 4096, sizes.getInt());
                byte[] data = random(512, 7);
                assertEquals(0, client.request(1, 0, 1024, 512, data).error());
                assertArrayEquals(data, client.request(0, 0, 1024, 512, null).data());
            }
        }
        try (NbdClient client = connect()) { // one that knows nothing of block sizes
            client.greet(3);
            client.exportName("", 10);
            assertEquals(0, client.request(1, 0, 512, 1024, random(1024, 8)).error());
            assertArrayEquals(
                    random(1024, 8), client.request(0, 0, 512, 1024, null).data());
        }
    }

    // ---- A namespace that goes and comes

    @Test
    void shouldServeANamespaceThatIsThereAgain() throws Exception {
        try (NbdClient client = ready(true)) {
            assertEquals(0, client.request(1, 0, 0, BLOCK, random(BLOCK, 1)).error());
            target.administration().removeNamespace(LoopbackTarget.NQN, 1);
            Awaitility.await().until(() -> client.request(0, 0, 0, BLOCK, null).error() == 5);
            Awaitility.await().until(() -> negotiated() == 0x8000_0006);
            target.administration()
                    .addNamespace(
                            LoopbackTarget.NQN,
                            new NamespaceConfig(
                                    1, new MemoryBlockDevice(SIZE), BLOCK, new UUID(1, 1), new Nguid(2, 1)));
            Awaitility.await()
                    .until(() ->
                            client.request(1, 0, 0, BLOCK, random(BLOCK, 2)).error() == 0);
            assertEquals(1, negotiated());
            assertArrayEquals(
                    random(BLOCK, 2), client.request(0, 0, 0, BLOCK, null).data());
        }
    }

    /** The last reply to GO. */
    private int negotiated() throws IOException {
        try (NbdClient client = connect()) {
            client.greet(3);
            List<NbdClient.OptionReply> replies = client.option(7, NbdClient.info("", 3));
            return replies.get(replies.size() - 1).type();
        }
    }

    /** What a request is, and its error: EPERM 1, EINVAL 22, ENOSPC 28. */
    private enum Bad {
        READ_OF_A_BYTE_BEYOND(0, 0, SIZE - 10, 11, 22),
        WRITE_OF_A_BYTE_BEYOND(1, 0, SIZE - 10, 11, 28),
        NOTHING(0, 0, 0, 0, 22),
        READ_BEYOND(0, 0, SIZE, BLOCK, 22),
        READ_OVER_THE_END(0, 0, SIZE - BLOCK, 2 * BLOCK, 22),
        WRITE_BEYOND(1, 0, SIZE, BLOCK, 28),
        WRITE_FAR_BEYOND(1, 0, -BLOCK, BLOCK, 28),
        TRIM_BEYOND(4, 0, SIZE, BLOCK, 28),
        ZERO_BEYOND(6, 0, 0, SIZE + BLOCK, 28),
        LONG_READ(0, 0, 0, MAX + BLOCK, 22),
        LONG_WRITE(1, 0, 0, MAX + BLOCK, 22),
        FAST_ZERO(6, 16, 0, BLOCK, 22),
        NO_HOLE_OF_A_READ(0, 2, 0, BLOCK, 22),
        UNKNOWN_FLAG(1, 0x8000, 0, BLOCK, 22),
        CACHE(5, 0, 0, BLOCK, 22),
        BLOCK_STATUS(7, 0, 0, BLOCK, 22),
        UNKNOWN(0xFFFF, 0, 0, BLOCK, 22);

        final int type;
        final int flags;
        final long offset;
        final int length;
        final int error;

        Bad(int type, int flags, long offset, int length, int error) {
            this.type = type;
            this.flags = flags;
            this.offset = offset;
            this.length = length;
            this.error = error;
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldAnswerABadRequestWithAnErrorAndGoOn(Bad bad) throws IOException {
        for (boolean structured : new boolean[] {false, true}) {
            try (NbdClient client = ready(structured)) {
                byte[] data = bad.type == 1 ? new byte[bad.length] : null;
                Reply reply = client.request(bad.type, bad.flags, bad.offset, bad.length, data);
                assertEquals(bad.error, reply.error());
                assertEquals(structured, !reply.message().isEmpty());
                assertEquals(0, client.request(0, 0, 0, BLOCK, null).error());
            }
        }
    }

    @Test
    void shouldRefuseChangesWhenItIsReadOnly() throws IOException {
        serve(true);
        try (NbdClient client = connect()) {
            client.greet(3);
            ByteBuffer export =
                    client.option(7, NbdClient.info("", 3)).get(0).data().position(10);
            assertEquals(1 | 2 | 4 | 256, export.getShort());
            assertEquals(1, client.request(1, 0, 0, BLOCK, new byte[BLOCK]).error());
            assertEquals(1, client.request(4, 0, 0, BLOCK, null).error());
            assertEquals(1, client.request(6, 0, 0, BLOCK, null).error());
            assertEquals(0, client.request(0, 0, 0, BLOCK, null).error());
        }
    }

    @Test
    void shouldAnswerEveryRequestOfAClientThatSendsManyAtOnce() throws IOException {
        int count = 2000;
        try (NbdClient client = ready(true)) {
            Set<Long> open = new HashSet<>();
            Thread sender = new Thread(() -> {
                try {
                    for (int i = 0; i < count; i++) {
                        client.sendRequest(i % 2, 0, i + 1, (long) (i % 64) * 65536, 65536, new byte[65536]);
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            for (long i = 1; i <= count; i++) {
                open.add(i);
            }
            client.readLengths = cookie -> cookie % 2 == 1 ? 65536 : 0;
            sender.start();
            for (int i = 0; i < count; i++) {
                Reply reply = client.readReply();
                assertEquals(0, reply.error());
                assertTrue(open.remove(reply.cookie()), () -> "cookie " + reply.cookie());
            }
        }
    }

    @Test
    void shouldAnswerWhatIsOutstandingWhenAClientLeaves() throws IOException {
        try (NbdClient client = ready(false)) {
            client.readLengths = cookie -> 65536;
            for (int i = 1; i <= 8; i++) {
                client.sendRequest(0, 0, i, 0, 65536, null);
            }
            client.sendRequest(2, 0, 9, 0, 0, null);
            Set<Long> answered = new HashSet<>();
            for (int i = 0; i < 8; i++) {
                answered.add(client.readReply().cookie());
            }
            assertEquals(Set.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L), answered);
            client.assertClosed();
        }
    }

    @Test
    void shouldServeOthersWhenClientsVanishInTheMiddle() throws IOException {
        Random random = new Random(5);
        try (NbdClient good = ready(true)) {
            for (int round = 0; round < 200; round++) {
                NbdClient bad = round % 2 == 0 ? connect() : ready(round % 4 == 1);
                switch (round % 6) {
                    case 0 -> bad.readGreeting();
                    case 1, 3 -> bad.sendRequest(0, 0, 1, 0, MAX, null);
                    case 5 ->
                        bad.send(ByteBuffer.allocate(1000)
                                .putInt(0x25609513)
                                .putInt(1)
                                .putLong(1)
                                .putLong(0)
                                .putInt(MAX)
                                .array());
                    default -> bad.send(new byte[random.nextInt(40)]);
                }
                bad.reset();
            }
            assertArrayEquals(
                    new byte[BLOCK], good.request(0, 0, 0, BLOCK, null).data());
            Awaitility.await().until(() -> server.connections() == 1);
        }
    }

    @Test
    void shouldEndAClientThatSendsNoMagicNumber() throws IOException {
        try (NbdClient client = ready(false)) {
            client.send(new byte[28]);
            client.assertClosed();
        }
    }

    @Test
    void shouldFailRequestsWhenTheTargetIsGone() throws IOException {
        try (NbdClient client = ready(true)) {
            target.close();
            assertTrue(
                    Set.of(5, 108).contains(client.request(0, 0, 0, BLOCK, null).error()));
        }
    }

    @Test
    void shouldServeUnixSocketsOfTheirOwnerAndClearAwayOneThatWasLeft(@TempDir Path directory) throws Exception {
        Path path = directory.resolve("s");
        NbdAddress address = NbdAddress.parse("unix:" + path);
        NbdExport export = new NbdExport(controller.namespace(1), "", "", false, MAX, true, true);
        try (ServerSocketChannel killed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            killed.bind(UnixDomainSocketAddress.of(path));
        }
        try (NbdServer unix = NbdServer.open(loops, address, export);
                NbdClient client = new NbdClient(path)) {
            client.greet(3);
            client.option(7, NbdClient.info("", 3));
            assertEquals(0, client.request(0, 0, 0, BLOCK, null).error());
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
            IOException e = assertThrows(IOException.class, () -> NbdServer.open(loops, address, export));
            assertTrue(e.getMessage().contains("in use by another nvmf"), e.getMessage());
            assertTrue(Files.exists(path), "it is in use");
            Awaitility.await().until(() -> unix.connections() == 1);
        }
        assertFalse(Files.exists(path), "it is gone with the server");
        Files.writeString(path, "precious");
        assertThrows(IOException.class, () -> NbdServer.open(loops, address, export));
        assertEquals("precious", Files.readString(path));
    }
}
