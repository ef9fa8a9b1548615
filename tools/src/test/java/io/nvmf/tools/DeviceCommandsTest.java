package io.nvmf.tools;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.nvmf.codec.log.SmartLog;
import io.nvmf.target.backend.memory.MemoryBlockDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The commands that are spelled as in nvme-cli, on a target of this process. */
class DeviceCommandsTest {
    private static final int BLOCK_BYTES = 512;
    private static LoopbackTarget target;

    @TempDir
    private Path directory;

    @BeforeAll
    static void serve() throws IOException {
        target = LoopbackTarget.serve(BLOCK_BYTES, new MemoryBlockDevice(1 << 20), new MemoryBlockDevice(1 << 20));
    }

    @AfterAll
    static void stop() {
        target.close();
    }

    /** Runs a command line in which DEVICE and NS1 stand for URIs. */
    private static CommandRun run(String line) {
        return CommandRun.of(words(line));
    }

    private static String[] words(String line) {
        return line.replace("DEVICE", target.subsystemUri())
                .replace("NS1", target.uri(1))
                .split(" ");
    }

    private static CommandRun succeed(String line) {
        CommandRun run = run(line);
        assertEquals("", run.err());
        assertEquals(0, run.status());
        return run;
    }

    private static JsonNode json(String line) throws IOException {
        return new ObjectMapper().readTree(succeed(line).out());
    }

    private byte[] write(int startBlock, int blocks, long seed) throws IOException {
        byte[] data = new byte[blocks * BLOCK_BYTES];
        new Random(seed).nextBytes(data);
        Path file = Files.write(directory.resolve("written"), data);
        succeed("write NS1 --start-block " + startBlock + " -f " + file);
        return data;
    }

    private static byte[] read(int startBlock, int blocks) {
        // How much was read is said on standard error.
        return run("read NS1 --start-block " + startBlock + " --block-count " + (blocks - 1))
                .outBytes();
    }

    @Test
    void shouldShowSmartLogUnderTheNamesOfNvmeCli() throws IOException {
        JsonNode log = json("smart-log DEVICE -o json");
        assertEquals(0, log.get("critical_warning").asInt());
        assertTrue(log.get("temperature").asInt() > 273);
        assertTrue(log.get("host_write_commands").isIntegralNumber());
        assertTrue(succeed("smart-log DEVICE")
                .out()
                .startsWith("Smart Log for NVME device:" + LoopbackTarget.NQN + " namespace-id:ffffffff\n"));
        assertEquals(SmartLog.BYTES, succeed("smart-log DEVICE -b").outBytes().length);
    }

    @Test
    void shouldShowErrorLogAsLongAsTheControllerKeepsIt() throws IOException {
        for (JsonNode error : json("error-log DEVICE -o json").get("errors")) {
            assertTrue(error.get("error_count").asLong() > 0, error::toString);
        }
        String all = succeed("error-log DEVICE --log-entries=256").out();
        int entries = Integer.parseInt(all.lines().findFirst().orElseThrow().replaceFirst(".* entries:", ""));
        assertEquals(
                entries,
                all.lines().filter(line -> line.startsWith("error_count ")).count());
    }

    @Test
    void shouldReadAnyLogFromAnyPlace() throws IOException {
        byte[] whole = succeed("get-log DEVICE -i 0x05 -l 4096 -b").outBytes();
        byte[] part = succeed("get-log DEVICE --log-id=5 --log-len=8 --lpo=0x10 --raw-binary")
                .outBytes();
        assertEquals(4096, whole.length);
        assertArrayEquals(Arrays.copyOfRange(whole, 16, 24), part);
        String dump = succeed("get-log DEVICE -i 3 -l 32").out();
        assertTrue(dump.startsWith("Device:" + LoopbackTarget.NQN + " log-id:3 namespace-id:0xffffffff\n"), dump);
        assertEquals(4, dump.lines().count());
        JsonNode json = json("get-log DEVICE -i 5 -l 8 --lpo 16 -o json");
        assertEquals(5, json.get("log-id").asInt());
        assertEquals(HexFormat.of().formatHex(part), json.get("data").asText());
    }

    @Test
    void shouldTakeTheControllerInOptionsAsWell() {
        String named = "--transport tcp --traddr 127.0.0.1 --trsvcid " + target.port() + " --nqn " + LoopbackTarget.NQN;
        assertEquals(
                "NVMe Flush: success\n", succeed("flush " + named + " -n 2").out());
    }

    @Test
    void shouldShowAndChangeFeatures() throws IOException {
        assertEquals(
                "get-feature:0x06 (Volatile Write Cache), Current value:0x00000001\n",
                succeed("get-feature DEVICE -f 6").out());
        assertEquals(
                "0x00001388",
                json("get-feature DEVICE -f 0x0f -o json").get("Current").asText());
        assertEquals(
                "get-feature:0x07 (Number of Queues), Current value:0x00070007\n"
                        + "\tI/O Submission Queues Allocated, zero-based (NSQA): 7\n"
                        + "\tI/O Completion Queues Allocated, zero-based (NCQA): 7\n",
                succeed("get-feature DEVICE -f 7 -H").out());
        assertEquals(
                1,
                json("get-feature DEVICE -f 0x84 -s 3 -H -o json")
                        .at("/fields/Namespace Specific")
                        .asInt());
        assertEquals(
                "set-feature:0x0b (Asynchronous Event Configuration), value:0x00000100, cdw12:0x00000000, save:0\n",
                succeed("set-feature DEVICE --feature-id=0x0b --value=256").out());
    }

    @Test
    void shouldFlushZeroAndDeallocate() throws IOException {
        write(0, 32, 1);
        assertEquals("NVMe Flush: success\n", succeed("flush NS1").out());
        assertEquals("NVMe Flush: success\n", succeed("flush DEVICE -n 2").out());
        byte[] before = read(0, 32);
        assertEquals(
                "NVME Write Zeroes Success\n",
                succeed("write-zeroes NS1 -s 8 -c 7 --deac -f").out());
        assertEquals(
                "NVMe DSM: success\n",
                succeed("dsm NS1 --ad --slbs=16,0x18 --blocks=4,2").out());
        byte[] after = read(0, 32);
        for (int block = 0; block < 32; block++) {
            boolean isZero = block >= 8 && block < 20 || block == 24 || block == 25;
            byte[] expected = isZero
                    ? new byte[BLOCK_BYTES]
                    : Arrays.copyOfRange(before, block * BLOCK_BYTES, (block + 1) * BLOCK_BYTES);
            assertArrayEquals(
                    expected,
                    Arrays.copyOfRange(after, block * BLOCK_BYTES, (block + 1) * BLOCK_BYTES),
                    "block " + block);
        }
    }

    @Test
    void shouldCompareCopyVerifyAndSpoil() throws IOException {
        byte[] data = write(128, 8, 3);
        Path same = Files.write(directory.resolve("same"), data);
        assertEquals(
                "compare: Success\n",
                succeed("compare NS1 -s 128 -c 7 -d " + same).out());
        CommandRun differs = run("compare NS1 -s 129 -c 6 -d " + same);
        assertEquals(1, differs.status());
        assertTrue(differs.err().startsWith("nvmf compare: I/O command 05h failed: Compare Failure"), differs::err);
        assertTrue(differs.err().endsWith(": the blocks differ from the data" + System.lineSeparator()), differs::err);
        assertEquals(
                "NVMe Copy: success\n",
                succeed("copy NS1 --sdlba=200 --slbs=132,128 --blocks=3,0x3").out());
        byte[] expected = new byte[8 * BLOCK_BYTES];
        System.arraycopy(data, 4 * BLOCK_BYTES, expected, 0, 4 * BLOCK_BYTES);
        System.arraycopy(data, 0, expected, 4 * BLOCK_BYTES, 4 * BLOCK_BYTES);
        assertArrayEquals(expected, read(200, 8));
        assertEquals("NVME Verify Success\n", succeed("verify NS1 -s 128 -c 7").out());
        assertEquals(
                "NVME Write Uncorrectable Success\n",
                succeed("write-uncor NS1 -s 130").out());
        CommandRun spoilt = run("verify NS1 -s 128 -c 7");
        assertTrue(spoilt.err().startsWith("nvmf verify: I/O command 0Ch failed: Unrecovered Read Error"), spoilt::err);
        write(130, 1, 4);
        succeed("verify NS1 -s 128 -c 7");
    }

    @Test
    void shouldSendAnyCommand() throws IOException {
        byte[] data = write(64, 8, 2);
        assertArrayEquals(
                data,
                succeed("io-passthru NS1 --opcode=0x02 --cdw10=64 --cdw12=7 --data-len=4096 --read -b")
                        .outBytes());
        Path file = Files.write(directory.resolve("block"), new byte[BLOCK_BYTES]);
        assertEquals(
                "NVMe command result:00000000\n",
                succeed("io-passthru DEVICE -O 1 -n 1 -4 64 -l 512 -w -i " + file)
                        .out());
        assertArrayEquals(new byte[BLOCK_BYTES], read(64, 1));
        assertEquals(
                "0x00000000",
                json("io-passthru NS1 -O 2 -4 64 -l 512 -r -o json")
                        .get("result")
                        .asText());
        String identify = succeed("admin-passthru DEVICE --opcode=6 --cdw10=1 --data-len=4096 --read")
                .out();
        assertTrue(identify.startsWith("NVMe command result:00000000\n"), identify);
        assertTrue(identify.contains("serial1"), identify);
    }

    @Test
    void shouldShowACommandWithoutSendingIt() {
        assertEquals(
                List.of(
                        "opcode       : c1",
                        "nsid         : 00000002",
                        "cdw2         : 00000000",
                        "cdw3         : 00000000",
                        "cdw10        : 0000abcd",
                        "cdw11        : 00000000",
                        "cdw12        : 00000000",
                        "cdw13        : 00000000",
                        "cdw14        : 00000000",
                        "cdw15        : ffffffff",
                        "data_len     : 00000000"),
                succeed("admin-passthru DEVICE -O 0xc1 -n 2 --cdw10=0xabcd --cdw15=0xffffffff --dry-run")
                        .out()
                        .lines()
                        .toList());
    }

    @Test
    void shouldShowProperties() throws IOException {
        JsonNode properties = json("show-regs DEVICE -o json");
        assertEquals(0x0002_0000, properties.get("vs").asInt() & 0xFFFF_0000);
        assertEquals(1, properties.get("csts").asInt() & 1);
        assertTrue(succeed("show-regs DEVICE").out().contains("\nvs      : 0x2"));
    }

    @Test
    void shouldReserveANamespace() throws IOException {
        String host = " --hostnqn nqn.2014-08.org.nvmexpress:uuid:5ca1ab1e-0000-4000-8000-000000000001";
        assertEquals(
                "NVME Reservation success\n",
                succeed("resv-register DEVICE -n 2 --nrkey=0xabcdef --rrega=0" + host)
                        .out());
        assertEquals(
                "NVME Reservation Acquire success\n",
                succeed("resv-acquire DEVICE -n 2 --crkey=0xabcdef --rtype=1" + host)
                        .out());
        JsonNode report = json("resv-report DEVICE -n 2 --eds -o json");
        assertEquals(1, report.get("rtype").asInt());
        assertEquals(1, report.get("regstrnt").asInt());
        JsonNode registrant = report.get("registrantext").get(0);
        assertEquals(1, registrant.get("rcsts").asInt());
        assertEquals(0xABCDEF, registrant.get("rkey").asInt());
        assertEquals(
                "5ca1ab1e000040008000000000000001", registrant.get("hostid").asText());
        assertTrue(succeed("resv-report DEVICE -n 2").out().contains("\n  rkey       : abcdef\n"));
        CommandRun conflict = run("write-zeroes DEVICE -n 2");
        assertTrue(conflict.err().contains("Reservation Conflict"), conflict::err);
        assertEquals(
                "NVME Reservation Release success\n",
                succeed("resv-release DEVICE -n 2 --crkey=0xabcdef --rtype=1" + host)
                        .out());
        succeed("resv-release DEVICE -n 2 --crkey=0xabcdef --rrela=1" + host);
        assertEquals(0, json("resv-report DEVICE -n 2 -o json").get("regstrnt").asInt());
    }

    @Test
    void shouldMakeADifferentHostNameEachTime() {
        String one = CommandRun.of("gen-hostnqn").out();
        assertTrue(one.matches("nqn\\.2014-08\\.org\\.nvmexpress:uuid:[0-9a-f-]{36}\\R"), one);
        assertEquals(
                2, Stream.of(one, CommandRun.of("gen-hostnqn").out()).distinct().count());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "get-log DEVICE -i 0x99 -l 512 | nvmf get-log: Admin command 02h failed: Invalid Log Page",
                "flush DEVICE -n 77 | nvmf flush: I/O command 00h failed: Invalid Namespace or Format",
                "flush DEVICE | nvmf flush: " + LoopbackTarget.NQN
                        + " has namespaces 1, 2; choose one with --namespace-id, or end the URI with /1",
                "io-passthru NS1 -O 0xfc | nvmf io-passthru: I/O command FCh failed: Invalid Command Opcode",
                "write-zeroes NS1 -s 0xffffffffffffffff | nvmf write-zeroes: I/O command 08h failed: LBA Out of Range",
                "smart-log NS1 | nvmf smart-log: the controller keeps one log for all namespaces (LPA bit 0 is 0): leave the namespace out",
                "admin-passthru DEVICE -O 6 -l 512 -r --cdw10=1 | nvmf admin-passthru: Admin command 06h failed: Data SGL Length Invalid (0/0Fh) DNR: the command moves another number of bytes",
                "compare NS1 -s 0 -c 1 | nvmf compare: standard input has 0 of the 1024 bytes that are needed",
                "compare NS1 -c 65535 | nvmf compare: 33554432 bytes are more than the 1048576 of one command: compare fewer blocks at a time",
            })
    void shouldFailWithTheStatusOfTheCommand(String line, String sentence) {
        CommandRun run = run(line);
        assertEquals(1, run.status());
        assertEquals("", run.out());
        assertTrue(run.err().startsWith(sentence), run::err);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "smart-log | 'no controller named: give nvmf-tcp|rdma://HOST:PORT/SUBNQN[/NSID], or --traddr and --nqn'",
                "smart-log nvmf-tcp://127.0.0.1:1 | no subsystem named: give --nqn or a URI with one, or see nvmf discover",
                "smart-log --traddr 127.0.0.1 | no subsystem named: give --nqn or a URI with one, or see nvmf discover",
                "smart-log NS1 --traddr 127.0.0.1 | --traddr cannot stand beside a URI",
                "smart-log NS1 -n 2 | --namespace-id 2 contradicts the URI, which names namespace 1: leave one of them out",
                "smart-log DEVICE -n x | --namespace-id 'x' is not a number from 0 to 4294967295, decimal or hexadecimal after 0x",
                "get-log DEVICE -l 512 | option --log-id is missing",
                "get-log DEVICE -i 2 -l 510 | --log-len 510 is no multiple of 4",
                "get-log DEVICE -i 2 -l 0 | --log-len is 0: there is nothing to read",
                "get-log DEVICE -i 0x100 -l 4 | --log-id '0x100' is not a number from 0 to 255, decimal or hexadecimal after 0x",
                "get-feature DEVICE -f 6 -s 4 | --sel '4' is not a number from 0 to 3, decimal or hexadecimal after 0x",
                "set-feature DEVICE -f 0x16 | the data of the feature is missing: give --data",
                "set-feature DEVICE -f 6 -d x | --data needs --data-len, for the feature has no data of its own",
                "dsm NS1 --ad | give 1 to 256 ranges with --slbs",
                "dsm NS1 --ad -s 1,2 -b 1 | --slbs has 2 values and --blocks 1: each range needs one of each",
                "dsm NS1 --ad -c 4 -s 1 -b 1 | --cdw11 cannot stand beside --ad, --idw or --idr",
                "dsm NS1 --ad -s 1, -b 1,1 | --slbs '' is not a number from 0 to 18446744073709551615, decimal or hexadecimal after 0x",
                "copy NS1 -s 1 -b 1 | option --sdlba is missing",
                "copy NS1 -d 0 -s 1 -b 65536 | --blocks '65536' is not a number from 0 to 65535, decimal or hexadecimal after 0x",
                "verify NS1 -c 65536 | --block-count '65536' is not a number from 0 to 65535, decimal or hexadecimal after 0x",
                "resv-acquire NS1 | option --rtype is missing",
                "resv-acquire NS1 -t 0 | --rtype 0 is no type of reservation, see the types in the help",
                "resv-register NS1 -r 3 | --rrega '3' is not a number from 0 to 2, decimal or hexadecimal after 0x",
                "resv-report NS1 -d 4 | --numd 4 is too little: the report begins with 16",
                "io-passthru NS1 | option --opcode is missing",
                "io-passthru NS1 -O 2 -l 512 | --data-len needs --read or --write",
                "io-passthru NS1 -O 2 -r | --read needs --data-len",
                "io-passthru NS1 -O 2 -l 512 -w | opcode 0x02 moves no data that way: bits 1:0 are 1 for --write",
                "io-passthru NS1 -O 2 -l 512 -r -w | --read cannot stand beside --write",
                "admin-passthru DEVICE -O 2 --cdw10=+1 | --cdw10 '+1' is not a number from 0 to 4294967295, decimal or hexadecimal after 0x",
            })
    void shouldRefuseWhatCannotBeBeforeItConnects(String line, String sentence) {
        CommandRun run = run(line);
        String command = line.substring(0, line.indexOf(' ') < 0 ? line.length() : line.indexOf(' '));
        assertEquals(
                "nvmf " + command + ": " + sentence + " (see nvmf help " + command + ")" + System.lineSeparator(),
                run.err());
        assertEquals(2, run.status());
    }
}
