package io.nvmf.tools.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.nvmf.codec.log.ErrorLogEntry;
import io.nvmf.codec.log.SmartLog;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class LogFieldsTest {
    private static ByteBuffer bytes(int length) {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static String printed(Consumer<PrintStream> print) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(bytes, false, StandardCharsets.UTF_8)) {
            print.accept(out);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldNameSmartLogAsNvmeCliDoes() {
        ByteBuffer page = bytes(SmartLog.BYTES)
                .put(0, (byte) 5)
                .putShort(1, (short) 300)
                .put(3, (byte) 99)
                .putLong(64, 1)
                .putLong(72, 1)
                .putLong(176, 7)
                .putShort(202, (short) 310);
        SmartLog log = SmartLog.decode(page, 0);
        JsonNode json = SmartFields.toJson(log);
        assertEquals(5, json.get("critical_warning").asInt());
        assertEquals(300, json.get("temperature").asInt());
        assertEquals(99, json.get("avail_spare").asInt());
        assertEquals("18446744073709551617", json.get("host_read_commands").asText());
        assertEquals(7, json.get("num_err_log_entries").asInt());
        assertFalse(json.has("temperature_sensor_1"));
        assertEquals(310, json.get("temperature_sensor_2").asInt());
        List<String> lines = printed(out -> SmartFields.print(out, log)).lines().toList();
        assertTrue(lines.contains("critical_warning                       : 0x5"), lines::toString);
        assertTrue(lines.contains("temperature                            : 27 °C (300 K)"), lines::toString);
        assertTrue(lines.contains("avail_spare                            : 99%"), lines::toString);
    }

    @Test
    void shouldNameErrorLogAsNvmeCliDoes() {
        ByteBuffer page = bytes(ErrorLogEntry.BYTES)
                .putLong(0, 3)
                .putShort(8, (short) 2)
                .putShort(10, (short) 0x1F)
                .putShort(12, (short) 0x8101)
                .putShort(14, (short) 0xFFFF)
                .putLong(16, -1)
                .putInt(24, 1)
                .put(29, (byte) 3)
                .put(31, (byte) 2);
        List<ErrorLogEntry> entries = List.of(ErrorLogEntry.decode(page, 0));
        assertEquals(
                "{\"errors\":[{\"error_count\":3,\"sqid\":2,\"cmdid\":31,\"status_field\":16512,\"phase_tag\":1,"
                        + "\"parm_error_location\":65535,\"lba\":18446744073709551615,\"nsid\":1,\"vs\":0,\"trtype\":3,"
                        + "\"csi\":0,\"opcode\":2,\"cs\":0,\"trtype_spec_info\":0,\"log_page_version\":0}]}",
                ErrorLogFields.toJson(entries).toString());
        String text = printed(out -> ErrorLogFields.print(out, entries));
        assertTrue(text.contains("status_field        : 0x4080 (LBA Out of Range"), text);
    }

    @Test
    void shouldShowBytesAsNumbersAndCharacters() {
        ByteBuffer data =
                bytes(18).put(0, "nvmf".getBytes(StandardCharsets.US_ASCII)).put(17, (byte) 0xFF);
        assertEquals(
                List.of(
                        "       0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f",
                        "0000: 6e 76 6d 66 00 00 00 00 00 00 00 00 00 00 00 00 \"nvmf............\"",
                        "0010: 00 ff                                           \"..\""),
                printed(out -> HexDump.print(out, data)).lines().toList());
    }
}
