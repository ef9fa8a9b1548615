package io.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.nvmf.initiator.controller.HostIdentity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostIdentityFilesTest {
    private static final UUID ID = UUID.fromString("5f0c1c2e-3a4b-4c5d-8e6f-708192a3b4c5");

    @TempDir
    Path directory;

    @Test
    void shouldReadWhatTheMachineKeeps() throws Exception {
        Files.writeString(directory.resolve("hostnqn"), "nqn.2024-01.com.example:me\n");
        Files.writeString(directory.resolve("hostid"), ID + "\n");
        assertEquals(new HostIdentity("nqn.2024-01.com.example:me", ID), HostIdentityFiles.load(directory));
    }

    @Test
    void shouldTakeTheIdFromTheNqnWhenThereIsNone() throws Exception {
        String nqn = "nqn.2014-08.org.nvmexpress:uuid:" + ID;
        Files.writeString(directory.resolve("hostnqn"), nqn);
        assertEquals(new HostIdentity(nqn, ID), HostIdentityFiles.load(directory));
    }

    @Test
    void shouldMakeTheNqnFromTheIdWhenThereIsNone() throws Exception {
        Files.writeString(directory.resolve("hostid"), ID.toString());
        assertEquals(new HostIdentity("nqn.2014-08.org.nvmexpress:uuid:" + ID, ID), HostIdentityFiles.load(directory));
    }

    @Test
    void shouldMakeUpAnIdentityWhenNothingCanBeUsed() throws Exception {
        Files.writeString(directory.resolve("hostid"), "not a UUID\n");
        Files.writeString(directory.resolve("hostnqn"), "\n");
        HostIdentity first = HostIdentityFiles.load(directory);
        assertEquals("nqn.2014-08.org.nvmexpress:uuid:" + first.hostId(), first.hostNqn());
        assertNotEquals(first, HostIdentityFiles.load(directory));
    }
}
