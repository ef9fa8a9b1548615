package io.nvmf.conformance.report;

import io.nvmf.conformance.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A directory with a text file for each check, {@code TCP.IC.Plain.txt}: what it is about, what came of it, all of its trace. */
public final class DumpDirectory {
    private final Path directory;

    private DumpDirectory(Path directory) {
        this.directory = directory;
    }

    /**
     * Makes it when it is not there. Files of earlier runs stay.
     *
     * @throws IOException when nothing can be written there; one that names it
     */
    public static DumpDirectory at(Path directory) throws IOException {
        Files.createDirectories(directory);
        ReportFile.at(directory.resolve("check.txt"));
        return new DumpDirectory(directory);
    }

    /** Writes the file of one check. */
    public void write(Outcome outcome) throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add(outcome.verdict() + " " + outcome.check().id() + " in " + outcome.millis() + " ms");
        lines.addAll(Words.details(outcome));
        lines.add("");
        lines.addAll(Words.traceWithBytes(outcome.trace()));
        ReportFile.at(directory.resolve(outcome.check().id() + ".txt")).write(String.join("\n", lines) + "\n");
    }
}
