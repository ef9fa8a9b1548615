package io.nvmf.conformance.report;

import io.nvmf.conformance.CheckCase;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.Outcome;
import io.nvmf.conformance.Outcome.Verdict;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A run as one page to show to whoever made the target: nothing in it comes from elsewhere, it is readable without its script
 * and when printed. It is well-formed XML, too.
 */
public final class HtmlReport {
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private final Report report;
    private final StringBuilder html = new StringBuilder();

    private HtmlReport(Report report) {
        this.report = report;
    }

    /** The whole page. */
    public static String of(Report report) {
        return new HtmlReport(report).page();
    }

    private String page() {
        String script = resource("report.js");
        html.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n");
        // A browser runs this script and no other, whatever stands in the page.
        html.append("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src")
                .append(" 'unsafe-inline'; script-src 'sha256-")
                .append(sha256(script))
                .append("'\"/>\n");
        html.append("<meta name=\"viewport\" content=\"width=device-width\"/>\n");
        html.append("<title>Conformance of ").append(escape(report.uri())).append("</title>\n");
        html.append("<style>").append(resource("report.css")).append("</style>\n</head>\n<body>\n");
        head();
        counts();
        filter();
        report.suites().forEach(this::suite);
        html.append("<script>").append(script).append("</script>\n</body>\n</html>\n");
        return html.toString();
    }

    private void head() {
        html.append("<h1>NVMe-oF conformance report</h1>\n");
        html.append("<p>").append(escape(report.summary())).append(".</p>\n");
        if (!report.isComplete()) {
            html.append("<p class=\"incomplete\">The run was interrupted: this is not all of it.</p>\n");
        }
        html.append("<table class=\"identity\">\n");
        report.identity().forEach(this::identity);
        identity("Date", DATE.format(report.started()));
        identity("Tested by", report.program());
        identity("As host", report.target().hostNqn() + ", " + report.target().hostId());
        identity("Options", options());
        html.append("</table>\n");
    }

    private void identity(String name, String value) {
        html.append("<tr><th>")
                .append(escape(name))
                .append("</th><td>")
                .append(escape(value))
                .append("</td></tr>\n");
    }

    private String options() {
        StringBuilder options = new StringBuilder("level " + Words.lowest(report.options()));
        for (Needs needs : Needs.values()) {
            options.append(report.options().allowed().contains(needs) ? ", with --" : ", without --")
                    .append(needs.option());
        }
        options.append(", seed ").append(report.target().seed());
        options.append(", checks ");
        options.append(report.patterns().isEmpty() ? "all" : String.join(" ", report.patterns()));
        return options.toString();
    }

    private void counts() {
        html.append("<h2>Suites</h2>\n<table class=\"counts\">\n<tr><th>suite</th>");
        for (Verdict verdict : Verdict.values()) {
            html.append("<th class=\"n\">").append(verdict).append("</th>");
        }
        html.append("</tr>\n");
        for (Map.Entry<String, List<Outcome>> suite : report.suites().entrySet()) {
            String name = escape(suite.getKey());
            html.append("<tr><td><a href=\"#" + name + "\">" + name + "</a></td>");
            for (Verdict verdict : Verdict.values()) {
                html.append("<td class=\"n\">")
                        .append(Report.count(suite.getValue(), verdict))
                        .append("</td>");
            }
            html.append("</tr>\n");
        }
        html.append("</table>\n");
    }

    private void filter() {
        html.append("<nav>Show ");
        report.counts()
                .forEach((verdict, count) -> html.append("<label><input type=\"checkbox\" checked=\"checked\" value=\"")
                        .append(verdict)
                        .append("\"/> ")
                        .append(verdict)
                        .append(" (")
                        .append(count)
                        .append(")</label> "));
        html.append("</nav>\n");
    }

    private void suite(String name, List<Outcome> outcomes) {
        html.append("<section id=\"" + escape(name) + "\">\n<h2>" + escape(name) + "</h2>\n<table>\n");
        html.append("<tr><th>verdict</th><th>check</th><th>level</th><th>what it says</th>")
                .append("<th class=\"n\">ms</th></tr>\n");
        outcomes.forEach(this::row);
        html.append("</table>\n</section>\n");
    }

    private void row(Outcome outcome) {
        CheckCase check = outcome.check();
        String verdict = outcome.verdict().toString();
        html.append("<tr class=\"" + verdict + "\" data-verdict=\"" + verdict + "\" id=\"" + escape(check.id()) + "\">")
                .append("<td class=\"verdict\">" + verdict + "</td>")
                .append("<td class=\"id\">"
                        + escape(check.id().substring(check.suiteId().length() + 1)) + "</td>")
                .append("<td>" + escape(check.check().level().label()) + "</td>")
                .append(outcome.verdict() == Verdict.PASS ? "<td><details>" : "<td><details open=\"open\">")
                .append("<summary>" + escape(check.check().says()) + "</summary>\n");
        details(outcome);
        html.append("</details></td><td class=\"n\">" + outcome.millis() + "</td></tr>\n");
    }

    private void details(Outcome outcome) {
        html.append("<dl>");
        detail("source", outcome.check().check().source());
        detail("level", Words.level(outcome.check()));
        if (outcome.expected().isEmpty()) {
            detail("reason", outcome.reason());
        }
        detail("sent", outcome.sent());
        detail("expected", outcome.expected());
        detail("got", outcome.got());
        html.append("</dl>\n");
        boolean tellsAll = outcome.verdict() == Verdict.FAIL || outcome.verdict() == Verdict.WARN;
        if (tellsAll && !outcome.trace().isEmpty()) {
            html.append("<pre>");
            Words.traceWithBytes(outcome.trace())
                    .forEach(line -> html.append(escape(line)).append('\n'));
            html.append("</pre>\n");
        }
    }

    private void detail(String name, String value) {
        if (!value.isEmpty()) {
            html.append("<dt>" + name + "</dt><dd>" + escape(value) + "</dd>");
        }
    }

    /** One line for text and attributes. */
    private static String escape(String text) {
        return Words.printable(text)
                .replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }

    private static String resource(String name) {
        try (InputStream stream = HtmlReport.class.getResourceAsStream(name)) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String sha256(String script) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(script.getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
