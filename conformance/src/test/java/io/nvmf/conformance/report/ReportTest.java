package io.nvmf.conformance.report;

import static io.nvmf.conformance.report.HostileSuite.SHOWN;
import static io.nvmf.conformance.report.HostileSuite.TEXT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.nvmf.conformance.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** Each form of report on one run made by hand. */
class ReportTest {
    private static Document parse(String xml) throws Exception {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(xml)));
    }

    private static Element only(Document document, String tag) {
        NodeList found = document.getElementsByTagName(tag);
        assertEquals(1, found.getLength(), tag);
        return (Element) found.item(0);
    }

    private static String text(boolean isColoured, List<Outcome> outcomes) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        TextReport text = new TextReport(new PrintStream(bytes, true, StandardCharsets.UTF_8), isColoured);
        outcomes.forEach(text::ended);
        text.summary(Reports.of(5, outcomes));
        return bytes.toString(StandardCharsets.UTF_8);
    }

    // ---- text

    @Test
    void shouldTellInTextWhatWasSentExpectedAndGot() {
        String text = text(false, Reports.whole().outcomes());
        List<String> lines = text.lines().toList();
        assertEquals("FAIL  TEST.HOSTILE.One", lines.get(0));
        assertEquals("      check     " + SHOWN, lines.get(1));
        assertEquals("      source    " + SHOWN, lines.get(2));
        assertEquals("      level     should; needs --dataloss", lines.get(3));
        assertEquals("      sent      " + SHOWN, lines.get(4));
        assertEquals("      expected  expected " + SHOWN, lines.get(5));
        assertEquals("      got       " + SHOWN, lines.get(6));
        assertEquals("          1.500 ms c1 -> traced " + SHOWN, lines.get(7));
        assertEquals("          2.500 ms c1 <- answered", lines.get(8));
        assertEquals("PASS  TEST.HOSTILE.Two", lines.get(9));
        assertEquals("SKIP  TEST.HOSTILE.Three: skipped " + SHOWN, lines.get(10));
        assertEquals("WARN  TEST.HOSTILE.Four: deviates " + SHOWN, lines.get(11));
        assertTrue(text.contains("Serial number (SN)  SN<b>&\\x1B\n"), text);
        assertTrue(Pattern.compile("TEST\\.HOSTILE +1 +1 +1 +1\n").matcher(text).find(), text);
        assertTrue(
                text.endsWith("4 checks in 1.2 s: 1 passed, 1 failed, 1 deviate, 1 skipped; interrupted before the"
                        + " other 1\n"),
                text);
        assertFalse(text.contains("\u001b"), text);
    }

    @Test
    void shouldColourVerdictsAloneWhenOnATerminal() {
        String text = text(true, Reports.whole().outcomes());
        assertTrue(text.startsWith("\u001b[31mFAIL\u001b[0m  TEST.HOSTILE.One\n"), text);
        assertTrue(text.contains("\u001b[32mPASS\u001b[0m  TEST.HOSTILE.Two\n"), text);
        assertFalse(text.contains("\u001b[2J"), text);
    }

    // ---- JSON

    @Test
    void shouldTellAllAsItCameInJson() throws IOException {
        String text = JsonReport.of(Reports.whole()).toString();
        JsonNode json = new ObjectMapper().readTree(text);
        assertEquals(TEXT, json.at("/target/uri").asText());
        assertEquals("SN<b>&\u001b", json.at("/target/sn").asText());
        assertEquals("2.0.1", json.at("/target/vs").asText());
        assertEquals(512, json.at("/target/block_bytes").asInt());
        assertEquals(77, json.at("/options/seed").asInt());
        assertEquals(TEXT, json.at("/options/tests/0").asText());
        assertFalse(json.at("/options/dataloss").asBoolean(true));
        assertTrue(json.get("complete").asBoolean());
        assertEquals(1, json.at("/counts/FAIL").asInt());
        JsonNode failed = json.at("/checks/0");
        assertEquals("TEST.HOSTILE.One", failed.get("id").asText());
        assertEquals("should", failed.get("level").asText());
        assertEquals("dataloss", failed.at("/needs/0").asText());
        assertEquals(TEXT, failed.get("says").asText());
        assertEquals(TEXT, failed.get("got").asText());
        assertEquals("traced " + TEXT, failed.at("/trace/0/text").asText());
        assertEquals("12345678", failed.at("/trace/0/bytes").asText());
        assertFalse(json.at("/checks/1").has("trace"), "of one that passed");
        assertEquals("skipped " + TEXT, json.at("/checks/2/reason").asText());
        assertEquals(1_500, json.at("/checks/3/trace/0/micros").asInt());
    }

    // ---- JUnit

    @Test
    void shouldWriteXmlThatBuildServersRead() throws Exception {
        Document xml = parse(JunitReport.of(Reports.whole()));
        Element suite = only(xml, "testsuite");
        assertEquals("TEST.HOSTILE", suite.getAttribute("name"));
        assertEquals("4", suite.getAttribute("tests"));
        assertEquals("1", suite.getAttribute("failures"));
        assertEquals("1", suite.getAttribute("skipped"));
        assertEquals("0.019", suite.getAttribute("time"));
        assertEquals(4, xml.getElementsByTagName("testcase").getLength());
        Element failure = only(xml, "failure");
        assertEquals("One", ((Element) failure.getParentNode()).getAttribute("name"));
        assertEquals("reason " + SHOWN, failure.getAttribute("message"));
        assertEquals("should", failure.getAttribute("type"));
        assertTrue(failure.getTextContent().contains("traced " + SHOWN), failure::getTextContent);
        assertTrue(failure.getTextContent().contains("0000: 12 34 56 78"), failure::getTextContent);
        assertEquals("skipped " + SHOWN, only(xml, "skipped").getAttribute("message"));
        Element deviation = only(xml, "system-out");
        assertEquals("Four", ((Element) deviation.getParentNode()).getAttribute("name"));
        assertEquals("deviates: deviates " + SHOWN, deviation.getTextContent());
    }

    // ---- HTML

    @Test
    void shouldWriteOnePageInWhichNothingForeignRuns() throws Exception {
        String html = HtmlReport.of(Reports.whole());
        Document page = parse(html);
        Element script = only(page, "script");
        assertTrue(script.getTextContent().contains("function filter()"), "the page's own");
        assertTrue(html.contains("script-src 'sha256-"), "and no other may run");
        for (String outside : List.of("src=", "@import", "url(", "<link")) {
            assertFalse(html.contains(outside), outside);
        }
        NodeList links = page.getElementsByTagName("a");
        for (int i = 0; i < links.getLength(); i++) {
            String leadsTo = ((Element) links.item(i)).getAttribute("href");
            assertEquals("#TEST.HOSTILE", leadsTo);
        }
        assertTrue(page.getDocumentElement().getTextContent().contains("traced " + SHOWN), html);
        assertTrue(page.getDocumentElement().getTextContent().contains("SN<b>&\\x1B"), html);
        assertTrue(html.contains("0000: 12 34 56 78"), html);
    }

    @Test
    void shouldShowAllRowsOfEachVerdictWithoutItsScript() throws Exception {
        Document page = parse(HtmlReport.of(Reports.whole()));
        NodeList rows = page.getElementsByTagName("tr");
        int found = 0;
        for (int i = 0; i < rows.getLength(); i++) {
            Element row = (Element) rows.item(i);
            if (row.hasAttribute("data-verdict")) {
                found++;
                assertFalse(row.hasAttribute("hidden"));
                Element details = (Element) row.getElementsByTagName("details").item(0);
                assertNotNull(details);
                assertEquals(!row.getAttribute("data-verdict").equals("PASS"), details.hasAttribute("open"));
            }
        }
        assertEquals(4, found);
        assertEquals(4, page.getElementsByTagName("input").getLength(), "a box a verdict");
    }

    @Test
    void shouldSayWhenItIsNotOfTheWholeRun() {
        Report report = Reports.of(9, List.of(Reports.passed()));
        assertTrue(HtmlReport.of(report).contains("The run was interrupted"));
        assertTrue(JunitReport.of(report).contains("name=\"complete\" value=\"false\""));
        assertFalse(JsonReport.of(report).get("complete").asBoolean());
        assertFalse(HtmlReport.of(Reports.whole()).contains("The run was interrupted"));
    }

    @Test
    void shouldDoWithoutFactsWhenNoSubsystemWasNamed() {
        Report whole = Reports.whole();
        Report report = new Report(
                whole.program(),
                whole.uri(),
                whole.target(),
                null,
                whole.options(),
                List.of(),
                whole.started(),
                whole.millis(),
                0,
                List.of());
        assertFalse(HtmlReport.of(report).contains("Serial number"));
        assertTrue(JunitReport.of(report).contains("tests=\"0\""));
        assertFalse(JsonReport.of(report).get("target").has("sn"));
        assertTrue(report.hasPassed());
    }

    // ---- words

    @Test
    void shouldLeaveOutLinesOfBytesThatAreAlike() {
        byte[] bytes = new byte[80];
        bytes[0] = 1;
        List<String> lines = Words.traceWithBytes(List.of(new io.nvmf.initiator.raw.Trace.Line(
                0, "c1", io.nvmf.initiator.raw.Trace.Direction.SENT, "zeroes", bytes)));
        String zeroes = "00" + " 00".repeat(15);
        assertEquals(
                List.of("0000: 01" + " 00".repeat(15), "0010: " + zeroes, "*", "0040: " + zeroes),
                lines.stream().skip(1).map(String::strip).toList());
    }
}
