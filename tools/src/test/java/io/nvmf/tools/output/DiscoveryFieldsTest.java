package io.nvmf.tools.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nvmf.codec.log.DiscoveryLogEntry;
import io.nvmf.codec.log.DiscoveryLogEntry.Field;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class DiscoveryFieldsTest {
    private final DiscoveryLogEntry entry = DiscoveryLogEntry.allocate();

    @Test
    void shouldShowRdmaSettings() {
        entry.set(Field.TRTYPE, DiscoveryLogEntry.TRTYPE_RDMA);
        entry.set(Field.RDMA_PRTYPE, DiscoveryLogEntry.RDMA_PRTYPE_ROCE_V2);
        entry.set(Field.RDMA_QPTYPE, DiscoveryLogEntry.RDMA_QPTYPE_CONNECTED);
        entry.set(Field.RDMA_CMS, DiscoveryLogEntry.RDMA_CMS_RDMA_CM);
        entry.set(Field.RDMA_PKEY, 0x8001);

        ObjectNode json = DiscoveryFields.of(entry).toJson();
        assertEquals("rdma", json.get("trtype").textValue());
        assertEquals("roce-v2", json.get("rdma_prtype").textValue());
        assertEquals("connected", json.get("rdma_qptype").textValue());
        assertEquals("rdma-cm", json.get("rdma_cms").textValue());
        assertEquals(0x8001, json.get("rdma_pkey").intValue());
        assertFalse(json.has("sectype"));
        assertEquals("trtype:  rdma", lines()[0]);
        assertEquals("rdma_prtype: roce-v2", lines()[11]);
        assertEquals("rdma_pkey: 0x8001", lines()[14]);
    }

    @Test
    void shouldShowTransportsOwnSettingsOnly() {
        entry.set(Field.TRTYPE, DiscoveryLogEntry.TRTYPE_TCP);
        ObjectNode json = DiscoveryFields.of(entry).toJson();
        assertEquals("none", json.get("sectype").textValue());
        assertFalse(json.has("rdma_prtype"));
    }

    @Test
    void shouldShowNumbersItDoesNotKnow() {
        entry.set(Field.TRTYPE, DiscoveryLogEntry.TRTYPE_RDMA);
        entry.set(Field.RDMA_PRTYPE, 77);
        assertEquals(
                "unrecognized 77",
                DiscoveryFields.of(entry).toJson().get("rdma_prtype").textValue());
    }

    private String[] lines() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DiscoveryFields.of(entry).printList(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        return bytes.toString(StandardCharsets.UTF_8).split(System.lineSeparator());
    }
}
