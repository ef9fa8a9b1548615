package io.nvmf.tools;

import static io.nvmf.tools.CommonOptions.value;

import io.nvmf.conformance.Outcome;
import io.nvmf.conformance.report.DumpDirectory;
import io.nvmf.conformance.report.HtmlReport;
import io.nvmf.conformance.report.JsonReport;
import io.nvmf.conformance.report.JunitReport;
import io.nvmf.conformance.report.Report;
import io.nvmf.conformance.report.ReportFile;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.apache.commons.cli.Options;

/** The files in which a run of {@code nvmf conformance} is told, tried before it. One thread at a time. */
final class ConformanceFiles {
    private static final String DUMP = "dump";

    private static final Map<String, Function<Report, String>> FORMS = new LinkedHashMap<>();

    static {
        FORMS.put("junit", JunitReport::of);
        FORMS.put("json", report -> JsonReport.of(report).toPrettyString() + "\n");
        FORMS.put("html", HtmlReport::of);
    }

    private final Map<String, ReportFile> files = new LinkedHashMap<>();
    /** Where files go that belong to a failure. */
    private Path keptIn = Path.of("");

    private DumpDirectory dump;
    /** The first that could not be written while the checks ran; null when all could. */
    private IOException dumpFailure;

    private ConformanceFiles() {}

    static void addTo(Options options) {
        options.addOption(value(null, "junit", "FILE", "write the result for build servers, JUnit's XML"))
                .addOption(value(null, "json", "FILE", "write all of the result for programs"))
                .addOption(value(null, "html", "FILE", "write the result as one page to show to others"))
                .addOption(
                        value(null, DUMP, "DIR", "write a file for each check, with all that was sent and received"));
    }

    /** Tries all that are named. */
    static ConformanceFiles open(Arguments arguments) throws UsageException {
        ConformanceFiles made = new ConformanceFiles();
        Set<Path> paths = new HashSet<>();
        for (String option : FORMS.keySet()) {
            Optional<String> name = arguments.text(option);
            if (name.isPresent()) {
                ReportFile file = tried(option, name.get(), ReportFile::at);
                if (!paths.add(file.path())) {
                    throw new UsageException("--" + option + " " + name.get() + " is the file of another report");
                }
                made.files.put(option, file);
            }
        }
        Optional<String> directory = arguments.text(DUMP);
        if (directory.isPresent()) {
            made.dump = tried(DUMP, directory.get(), DumpDirectory::at);
            made.keptIn = Path.of(directory.get());
        }
        return made;
    }

    private interface Try<T> {
        T at(Path path) throws IOException;
    }

    private static <T> T tried(String option, String name, Try<T> what) throws UsageException {
        try {
            return what.at(Path.of(name));
        } catch (IOException | InvalidPathException e) {
            throw new UsageException("--" + option + " " + Failures.sentence(e));
        }
    }

    /**
     * Writes what belongs to one check. What goes wrong is told at the end, for the run goes on.
     *
     * @return the files that show a failure again
     */
    List<Path> ended(Outcome outcome) {
        List<Path> kept = new ArrayList<>();
        try {
            if (dump != null) {
                dump.write(outcome);
            }
            for (Map.Entry<String, String> file : outcome.files().entrySet()) {
                Path path = keptIn.resolve(file.getKey());
                ReportFile.at(path).write(file.getValue());
                kept.add(path);
            }
        } catch (IOException e) {
            dumpFailure = dumpFailure == null ? e : dumpFailure;
        }
        return kept;
    }

    /**
     * Writes what is of the whole run, as much of it as can be written.
     *
     * @throws CommandException when something could not be, now or before
     */
    void write(Report report) throws CommandException {
        IOException failure = dumpFailure;
        for (Map.Entry<String, ReportFile> file : files.entrySet()) {
            try {
                file.getValue().write(FORMS.get(file.getKey()).apply(report));
            } catch (IOException e) {
                failure = failure == null ? e : failure;
            }
        }
        if (failure != null) {
            throw new CommandException("not all of the result was written: " + Failures.sentence(failure), failure);
        }
    }
}
