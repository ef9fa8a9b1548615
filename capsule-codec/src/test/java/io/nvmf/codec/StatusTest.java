package io.nvmf.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.StatusNames.Kind;
import java.lang.reflect.Field;
import org.junit.jupiter.api.Test;

class StatusTest {
    @Test
    void shouldTakeApartEachFieldWhenAllBitsAreUsed() {
        int status = Status.DNR | Status.MORE | 2 << 11 | Status.CONNECT_INVALID_HOST;
        assertEquals(0x84, Status.sc(status));
        assertEquals(1, Status.sct(status));
        assertEquals(2, Status.crd(status));
        assertTrue(Status.more(status));
        assertTrue(Status.dnr(status));
        assertEquals(Status.CONNECT_INVALID_HOST, Status.withoutFlags(status));
        assertEquals(0x7184, status);
    }

    @Test
    void shouldBeSuccessOnlyWhenTypeAndCodeAreZero() {
        assertTrue(Status.isSuccess(0));
        assertTrue(Status.isSuccess(Status.MORE), "flags are no error");
        assertFalse(Status.isSuccess(Status.LBA_OUT_OF_RANGE), "0/80h has a zero low half");
        assertFalse(Status.isSuccess(Status.of(3, 0)), "3/00h is a path error");
    }

    @Test
    void shouldNameSharedNumbersByKindOfCommand() {
        assertEquals("Incompatible Format", StatusNames.name(0x180, Kind.FABRICS));
        assertEquals("Conflicting Attributes", StatusNames.name(0x180, Kind.IO_NVM));
        assertEquals(StatusNames.UNKNOWN, StatusNames.name(0x180, Kind.ADMIN));
        assertEquals("Key Exists", StatusNames.name(0x089, Kind.IO_KV));
        assertEquals(StatusNames.UNKNOWN, StatusNames.name(0x089, Kind.IO_NVM));
        assertEquals("Invalid Queue Identifier", StatusNames.name(0x101, Kind.FABRICS));
    }

    @Test
    void shouldDescribeNumbersAndFlags() {
        assertEquals("Invalid Field in Command (0/02h) DNR", StatusNames.describe(0x4002, Kind.ADMIN));
        assertEquals(
                "Namespace Not Ready (0/82h) CRD 1 More",
                StatusNames.describe(Status.NAMESPACE_NOT_READY | Status.MORE | 1 << 11, Kind.IO_NVM));
        assertEquals("vendor specific status (7/FEh)", StatusNames.describe(0x7FE, Kind.IO_NVM));
    }

    @Test
    void shouldNameAnyNumberWithoutThrowing() {
        for (int status = -1; status <= 0xFFFF; status++) {
            for (Kind kind : Kind.values()) {
                assertNotNull(StatusNames.name(status, kind));
            }
        }
    }

    @Test
    void shouldHaveNameForEachConstant() throws IllegalAccessException {
        for (Field field : Status.class.getFields()) {
            if (field.getName().startsWith("TYPE_")
                    || field.getName().equals("MORE")
                    || field.getName().equals("DNR")) {
                continue;
            }
            int status = field.getInt(null);
            boolean named = false;
            for (Kind kind : Kind.values()) {
                named |= !StatusNames.name(status, kind).equals(StatusNames.UNKNOWN);
            }
            assertTrue(named, field.getName());
        }
    }

    @Test
    void shouldHaveSpecifiedNumbers() {
        assertEquals(0x000, Status.SUCCESS);
        assertEquals(0x00B, Status.INVALID_NAMESPACE_OR_FORMAT);
        assertEquals(0x00C, Status.COMMAND_SEQUENCE_ERROR);
        assertEquals(0x00F, Status.SGL_DATA_LENGTH_INVALID);
        assertEquals(0x011, Status.SGL_TYPE_INVALID);
        assertEquals(0x016, Status.SGL_OFFSET_INVALID);
        assertEquals(0x022, Status.TRANSIENT_TRANSPORT_ERROR);
        assertEquals(0x081, Status.CAPACITY_EXCEEDED);
        assertEquals(0x105, Status.ASYNC_EVENT_REQUEST_LIMIT_EXCEEDED);
        assertEquals(0x109, Status.INVALID_LOG_PAGE);
        assertEquals(0x182, Status.CONNECT_INVALID_PARAMETERS);
        assertEquals(0x190, Status.DISCOVER_RESTART);
        assertEquals(0x281, Status.UNRECOVERED_READ_ERROR);
        assertEquals(0x302, Status.ANA_INACCESSIBLE);
    }
}
