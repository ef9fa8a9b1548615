package io.nvmf.target;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Opcode;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.feature.FeatureId;
import io.nvmf.codec.feature.FeaturesCommand;
import io.nvmf.codec.identify.Nguid;
import io.nvmf.codec.nvm.CopyCommand;
import io.nvmf.codec.nvm.CopyRange;
import io.nvmf.codec.nvm.DatasetManagementCommand;
import io.nvmf.codec.nvm.DatasetRange;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.target.backend.BlockDevice;
import io.nvmf.target.backend.BlockError;
import io.nvmf.target.backend.file.FileBlockDevice;
import io.nvmf.target.backend.file.FileOptions;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.state.StateFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What hosts set of a namespace in a file, when the target ends and comes back. */
class DurabilityTest extends TargetTestBase {
    private static final int NSID = 3;
    private static final int BLOCKS = 2048;
    private static final UUID NAMESPACE = new UUID(9, 9);
    private static final int UNREADABLE = Status.UNRECOVERED_READ_ERROR | Status.DNR;
    private static final int PROTECTED = Status.NAMESPACE_WRITE_PROTECTED | Status.DNR;

    @TempDir
    Path directory;

    private RawHost admin;
    private RawHost io;

    private Path image() {
        return directory.resolve("disk.img");
    }

    private Path stateFile() {
        return StateFile.beside(image());
    }

    private void serveImage() throws IOException {
        FileOptions options = FileOptions.EXISTING.withSizeBytes(BLOCKS * 512L).withDirect(false);
        serve(FileBlockDevice.open(image(), options), StateFile.openBeside(image(), false, NAMESPACE));
    }

    private void serve(BlockDevice device, StateFile state) throws IOException {
        start();
        target.administration()
                .addNamespace(
                        NQN, new NamespaceConfig(NSID, device, 512, NAMESPACE, new Nguid(9, 9)).withStateFile(state));
        admin = open();
        int controllerId = admin.connectAdmin(NQN, 0);
        admin.enable();
        io = open();
        io.initialize(0, 0);
        io.connectIo(controllerId, 1, 127, NQN);
    }

    private void restart() throws IOException {
        end();
        stop();
        serveImage();
    }

    @AfterEach
    void end() throws IOException {
        admin.close();
        io.close();
    }

    private int protect(int state) throws IOException {
        Sqe sqe = FeaturesCommand.encodeSet(Sqe.allocate(), FeatureId.NAMESPACE_WRITE_PROTECTION, state);
        return admin.execute(sqe.nsid(NSID)).status();
    }

    private int execute(int opcode, long start, int blocks) throws IOException {
        return io.execute(ReadWriteCommand.encode(Sqe.allocate(), opcode, NSID, start, blocks))
                .status();
    }

    private int send(Sqe sqe, byte[] data) throws IOException {
        sqe.sgl1().set(SglDescriptor.IN_CAPSULE, 0, data.length);
        return io.execute(sqe, data).status();
    }

    private int write(long start, int blocks) throws IOException {
        byte[] data = new byte[blocks * 512];
        Arrays.fill(data, (byte) 7);
        return send(ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.WRITE, NSID, start, blocks), data);
    }

    private int deallocate(long start, int blocks) throws IOException {
        ByteBuffer range = Bytes.allocate(DatasetRange.BYTES);
        new DatasetRange().wrap(range, 0).set(start, blocks);
        return send(
                DatasetManagementCommand.encode(Sqe.allocate(), NSID, 1, DatasetManagementCommand.DEALLOCATE),
                range.array());
    }

    private int copy(long from, int blocks, long to) throws IOException {
        ByteBuffer range = Bytes.allocate(CopyRange.BYTES);
        new CopyRange().wrap(range, 0).set(from, blocks);
        return send(CopyCommand.encode(Sqe.allocate(), NSID, to, 1), range.array());
    }

    /** Verify sees what Read would. */
    private int look(long start, int blocks) throws IOException {
        return execute(Opcode.Nvm.VERIFY, start, blocks);
    }

    @Test
    void shouldKeepWriteProtectionUntilAHostTakesItAway() throws IOException {
        serveImage();
        assertFalse(Files.exists(stateFile()), "nothing is to be kept");
        assertEquals(0, protect(1));
        restart();
        assertEquals(PROTECTED, write(0, 1));
        assertEquals(0, protect(0));
        assertEquals(0, write(0, 1));
        assertFalse(Files.exists(stateFile()));
        restart();
        assertEquals(0, write(0, 1));
        assertEquals(0, protect(2));
        restart();
        assertEquals(0, write(0, 1), "until the power has gone");
    }

    @Test
    void shouldKeepBlocksUnreadableUntilTheyAreWrittenInAnyWay() throws IOException {
        serveImage();
        assertEquals(0, write(0, 16));
        assertEquals(0, execute(Opcode.Nvm.WRITE_UNCORRECTABLE, 2, 10));
        restart();
        assertEquals(UNREADABLE, look(2, 1));
        assertEquals(UNREADABLE, look(11, 1));
        assertEquals(0, look(0, 2));
        assertEquals(0, look(12, 4));
        assertEquals(0, write(2, 2));
        assertEquals(0, execute(Opcode.Nvm.WRITE_ZEROES, 4, 2));
        assertEquals(0, deallocate(6, 2));
        assertEquals(0, copy(0, 2, 8));
        restart();
        assertEquals(0, look(0, 10));
        assertEquals(UNREADABLE, look(10, 1));
        assertEquals(0, write(10, 2));
        assertFalse(Files.exists(stateFile()));
    }

    @Test
    void shouldLeaveTheFileAloneWhenNoBadBlockIsWritten() throws IOException {
        serveImage();
        assertEquals(0, execute(Opcode.Nvm.WRITE_UNCORRECTABLE, 2, 2));
        Object inode = Files.getAttribute(stateFile(), "unix:ino");
        assertEquals(0, write(0, 2));
        assertEquals(0, write(4, 4));
        assertEquals(0, deallocate(8, 100));
        assertEquals(0, execute(Opcode.Nvm.WRITE_ZEROES, 4, 100));
        assertEquals(0, copy(0, 2, 4));
        assertEquals(inode, Files.getAttribute(stateFile(), "unix:ino"));
        assertEquals(0, write(3, 1));
        assertFalse(inode.equals(Files.getAttribute(stateFile(), "unix:ino")));
    }

    @Test
    void shouldFailWhatCannotBeKeptAndChangeNothing() throws IOException {
        Path place = Files.createDirectory(directory.resolve("place"));
        serve(
                FileBlockDevice.open(
                        image(),
                        FileOptions.EXISTING.withSizeBytes(BLOCKS * 512L).withDirect(false)),
                StateFile.open(place.resolve("state"), NAMESPACE));
        assertEquals(0, execute(Opcode.Nvm.WRITE_UNCORRECTABLE, 2, 2));
        Path aside = Files.move(place, directory.resolve("aside"), StandardCopyOption.ATOMIC_MOVE);
        int refused = Status.INTERNAL_ERROR | Status.DNR;
        assertEquals(refused, protect(1));
        assertEquals(refused, execute(Opcode.Nvm.WRITE_UNCORRECTABLE, 8, 1));
        assertEquals(0, write(0, 2), "which is about nothing that is kept");
        assertEquals(0, look(8, 1));
        assertEquals(refused, write(2, 2));
        assertEquals(refused, deallocate(3, 1));
        assertEquals(refused, copy(0, 2, 2));
        assertEquals(UNREADABLE, look(2, 1));
        assertEquals(UNREADABLE, look(3, 1));
        Files.move(aside, place, StandardCopyOption.ATOMIC_MOVE);
        assertEquals(0, write(2, 2));
        assertEquals(0, look(0, 8));
    }

    @Test
    void shouldMakeDataDurableBeforeBlocksCanBeRead() throws IOException {
        HeldDevice device = new HeldDevice();
        serve(device, StateFile.open(directory.resolve("state"), NAMESPACE));
        device.letGo();
        assertEquals(0, execute(Opcode.Nvm.WRITE_UNCORRECTABLE, 2, 4));
        device.failFlushesWith(BlockError.WRITE_ERROR);
        int failed = Status.WRITE_FAULT;
        assertEquals(failed, Status.withoutFlags(write(2, 1)));
        assertEquals(failed, Status.withoutFlags(deallocate(3, 1)));
        assertEquals(failed, Status.withoutFlags(execute(Opcode.Nvm.WRITE_ZEROES, 4, 1)));
        assertEquals(failed, Status.withoutFlags(copy(0, 1, 5)));
        for (int block = 2; block < 6; block++) {
            assertEquals(UNREADABLE, look(block, 1), "block " + block);
        }
        assertEquals(0, write(0, 1), "no other write waits for a flush");
    }

    @Test
    void shouldRefuseToProtectBlocksThatOutliveTheProtection() throws IOException {
        serve(new HeldDevice(), null);
        assertEquals(Status.INVALID_FIELD | Status.DNR, protect(1));
        assertEquals(0, protect(2));
    }

    @Test
    void shouldKeepManySpansOfBadBlocks() throws IOException {
        serveImage();
        for (int block = 0; block < 64; block += 2) {
            assertEquals(0, execute(Opcode.Nvm.WRITE_UNCORRECTABLE, block, 1));
        }
        restart();
        for (int block = 0; block < 64; block++) {
            assertEquals(block % 2 == 0 ? UNREADABLE : 0, look(block, 1), "block " + block);
        }
    }

    @Test
    void shouldForgetBadBlocksThatAResizeHasCutOff() throws IOException {
        serveImage();
        assertEquals(0, execute(Opcode.Nvm.WRITE_UNCORRECTABLE, BLOCKS - 2, 2));
        assertEquals(0, execute(Opcode.Nvm.WRITE_UNCORRECTABLE, 0, 1));
        target.administration().resizeNamespace(NQN, NSID, (BLOCKS - 1) * 512L);
        target.administration().resizeNamespace(NQN, NSID, BLOCKS * 512L);
        assertEquals(UNREADABLE, look(0, 1));
        assertEquals(UNREADABLE, look(BLOCKS - 2, 1));
        assertEquals(0, look(BLOCKS - 1, 1), "new, and zero");
        Sqe read = ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.READ, NSID, BLOCKS - 1, 1);
        assertArrayEquals(new byte[512], io.executeRead(read, 512));
        assertTrue(Files.exists(stateFile()));
    }
}
