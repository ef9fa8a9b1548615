package io.nvmf.conformance.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportFileTest {
    @TempDir
    private Path directory;

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void shouldLeaveWhatIsThereUntilAllIsWritten() throws IOException {
        Path path = Files.writeString(directory.resolve("report"), "old");
        ReportFile file = ReportFile.at(path);
        assertEquals("old", Files.readString(path));
        assertEquals(List.of("report"), names());
        file.write("new é");
        assertEquals("new é", Files.readString(path));
        assertEquals(List.of("report"), names());
    }

    @Test
    void shouldLeaveNothingHalfWhenItCannotBeMovedToItsPlace() throws IOException {
        Path path = directory.resolve("report");
        ReportFile file = ReportFile.at(path);
        assertFalse(Files.exists(path), "tried, not made");
        Files.createDirectory(path);
        Files.createFile(path.resolve("in the way"));
        assertThrows(IOException.class, () -> file.write("new"));
        assertEquals(List.of("report"), names());
    }

    @Test
    void shouldNameWhatCannotBeWritten() throws IOException {
        Files.createFile(directory.resolve("file"));
        assertEquals("is a directory", refused(directory));
        assertEquals("its directory does not exist", refused(directory.resolve("none/report")));
        assertEquals("Not a directory", refused(directory.resolve("file/report")));
    }

    private static String refused(Path path) {
        FileSystemException refused = assertThrows(FileSystemException.class, () -> ReportFile.at(path));
        assertEquals(path.toString(), refused.getFile());
        return refused.getReason();
    }

    @Test
    void shouldReplaceTheFileThatALinkLeadsTo() throws IOException {
        Path real = Files.writeString(directory.resolve("real"), "old");
        Path link = Files.createSymbolicLink(directory.resolve("link"), real);
        ReportFile.at(link).write("new");
        assertTrue(Files.isSymbolicLink(link));
        assertEquals("new", Files.readString(real));
    }

    @Test
    void shouldWriteToADeviceWhereItIs() throws IOException {
        Path device = Path.of("/dev/null");
        Assumptions.assumeTrue(Files.isWritable(device), "there is none");
        ReportFile.at(device).write("gone");
        assertFalse(Files.isRegularFile(device));
    }

    @Test
    void shouldWriteAFileForEachCheck() throws IOException {
        Path dump = directory.resolve("a/b");
        DumpDirectory.at(dump).write(Reports.failed());
        DumpDirectory.at(dump).write(Reports.skipped());
        List<String> lines = Files.readAllLines(dump.resolve("TEST.HOSTILE.One.txt"));
        assertEquals("FAIL TEST.HOSTILE.One in 12 ms", lines.get(0));
        assertTrue(lines.contains("    1.500 ms c1 -> traced " + HostileSuite.SHOWN), lines::toString);
        assertEquals("0000: 12 34 56 78", lines.get(lines.size() - 2).strip());
        assertTrue(Files.readString(dump.resolve("TEST.HOSTILE.Three.txt")).startsWith("SKIP "));
        Files.createFile(directory.resolve("file"));
        assertThrows(IOException.class, () -> DumpDirectory.at(directory.resolve("file")));
    }
}
