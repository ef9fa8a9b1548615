package io.nvmf.conformance.report;

import io.nvmf.conformance.Outcome;
import io.nvmf.conformance.Outcome.Verdict;
import java.io.StringWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** A run as the XML that build servers read: a testsuite a suite. A check that deviates has passed, and says how in system-out. */
public final class JunitReport {
    private final Report report;
    private final XMLStreamWriter xml;

    private JunitReport(Report report, XMLStreamWriter xml) {
        this.report = report;
        this.xml = xml;
    }

    /** The whole document. */
    public static String of(Report report) {
        StringWriter text = new StringWriter();
        try {
            XMLStreamWriter xml = XMLOutputFactory.newInstance().createXMLStreamWriter(text);
            new JunitReport(report, xml).write();
            xml.close();
        } catch (XMLStreamException e) {
            throw new IllegalStateException("a string takes any XML", e);
        }
        return text.toString();
    }

    private void write() throws XMLStreamException {
        xml.writeStartDocument("UTF-8", "1.0");
        begin("testsuites");
        attribute("name", "nvmf conformance");
        counts(report.outcomes());
        attribute("time", seconds(report.millis()));
        for (Map.Entry<String, List<Outcome>> suite : report.suites().entrySet()) {
            suite(suite.getKey(), suite.getValue());
        }
        xml.writeCharacters("\n");
        xml.writeEndElement();
        xml.writeEndDocument();
    }

    private void suite(String name, List<Outcome> outcomes) throws XMLStreamException {
        begin("testsuite");
        attribute("name", name);
        counts(outcomes);
        attribute("time", seconds(outcomes.stream().mapToLong(Outcome::millis).sum()));
        attribute("timestamp", report.started().toString());
        begin("properties");
        property("program", report.program());
        for (Map.Entry<String, String> fact : report.identity().entrySet()) {
            property(fact.getKey(), fact.getValue());
        }
        property("seed", Long.toString(report.target().seed()));
        property("complete", Boolean.toString(report.isComplete()));
        xml.writeEndElement();
        for (Outcome outcome : outcomes) {
            testCase(outcome);
        }
        xml.writeEndElement();
    }

    private void counts(List<Outcome> outcomes) throws XMLStreamException {
        attribute("tests", Integer.toString(outcomes.size()));
        attribute("failures", Long.toString(Report.count(outcomes, Verdict.FAIL)));
        attribute("errors", "0");
        attribute("skipped", Long.toString(Report.count(outcomes, Verdict.SKIP)));
    }

    private void property(String name, String value) throws XMLStreamException {
        begin("property");
        attribute("name", name);
        attribute("value", value);
        xml.writeEndElement();
    }

    private void testCase(Outcome outcome) throws XMLStreamException {
        begin("testcase");
        String suite = outcome.check().suiteId();
        attribute("name", outcome.check().id().substring(suite.length() + 1));
        attribute("classname", suite);
        attribute("time", seconds(outcome.millis()));
        switch (outcome.verdict()) {
            case FAIL -> {
                begin("failure");
                attribute("type", outcome.check().check().level().label());
                attribute("message", outcome.reason());
                lines(Words.details(outcome));
                lines(Words.traceWithBytes(outcome.trace()));
                xml.writeEndElement();
            }
            case SKIP -> {
                begin("skipped");
                attribute("message", outcome.reason());
                xml.writeEndElement();
            }
            case WARN -> {
                begin("system-out");
                xml.writeCharacters("deviates: " + Words.printable(outcome.reason()));
                xml.writeEndElement();
            }
            case PASS -> {}
        }
        xml.writeEndElement();
    }

    private void begin(String element) throws XMLStreamException {
        xml.writeCharacters("\n");
        xml.writeStartElement(element);
    }

    private void attribute(String name, String value) throws XMLStreamException {
        xml.writeAttribute(name, Words.printable(value));
    }

    private void lines(List<String> lines) throws XMLStreamException {
        for (String line : lines) {
            xml.writeCharacters(line + "\n");
        }
    }

    private static String seconds(long millis) {
        return String.format(Locale.ROOT, "%.3f", millis / 1e3);
    }
}
