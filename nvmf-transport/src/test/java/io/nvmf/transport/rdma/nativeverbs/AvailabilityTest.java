package io.nvmf.transport.rdma.nativeverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.transport.EventLoops;
import io.nvmf.transport.rdma.Rdma;
import io.nvmf.transport.rdma.RdmaException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AvailabilityTest {
    @TempDir
    private Path root;

    private Path make(String path) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        return Files.createFile(file);
    }

    private void assertMissing(String beginning, String todo) throws IOException {
        String missing = Availability.missingFiles(root);
        assertNotNull(missing);
        assertTrue(missing.startsWith(beginning) && missing.contains(todo), missing);
    }

    @Test
    void shouldSayWhatToDoUntilNothingIsMissing() throws IOException {
        assertMissing("There is no RDMA device on this machine", "rdma link add");
        make("sys/class/infiniband/mlx5_0");
        assertMissing("The kernel offers no verbs to programs", "modprobe ib_uverbs");
        make("sys/class/infiniband_verbs/abi_version");
        assertMissing("The kernel offers no verbs to programs", "modprobe ib_uverbs");
        make("sys/class/infiniband_verbs/uverbs3");
        assertMissing("The kernel offers no RDMA connection manager", "modprobe rdma_ucm");
        make("sys/class/misc/rdma_cm");
        assertMissing("The device file " + root + "/dev/infiniband/rdma_cm is missing", "container");
        make("dev/infiniband/rdma_cm");
        assertMissing("The device file " + root + "/dev/infiniband/uverbs3 is missing", "container");
        make("dev/infiniband/uverbs3");
        assertNull(Availability.missingFiles(root));
    }

    @Test
    void shouldSayWhatCannotBeRead() throws IOException {
        Path file = make("sys/class/infiniband");
        String missing = Availability.missingAt(root);
        assertTrue(missing.startsWith("What this machine has for RDMA cannot be read"), missing);
        assertTrue(missing.contains(file.toString()), missing);
    }

    @Test
    void shouldSayWhichMachinesThereAre() {
        assertNull(Availability.missingOn("Linux", "amd64"));
        assertNull(Availability.missingOn("Linux", "aarch64"));
        assertEquals(
                "RDMA needs Linux on x86-64 or aarch64, this is Linux on riscv64",
                Availability.missingOn("Linux", "riscv64"));
        assertEquals(
                "RDMA needs Linux on x86-64 or aarch64, this is Mac OS X on aarch64",
                Availability.missingOn("Mac OS X", "aarch64"));
    }

    @Test
    void shouldNotOpenWhatIsNotThere() {
        Assumptions.assumeFalse(Rdma.isAvailable(), "this machine has RDMA");
        String cause = Rdma.unavailabilityCause();
        assertFalse(cause.isBlank());
        try (EventLoops loops = EventLoops.open(1, "test")) {
            assertEquals(
                    cause,
                    assertThrows(RdmaException.class, () -> Rdma.provider().openConnectionManager(loops.next()))
                            .getMessage());
        }
        assertEquals(0, NativeVerbs.openObjects());
    }
}
