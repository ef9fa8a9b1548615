package io.nvmf.conformance.report;

import io.nvmf.conformance.Check;
import io.nvmf.conformance.CheckCase;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.Suite;
import io.nvmf.conformance.SuiteName;
import java.util.Arrays;

/** Checks for reports alone, with the worst text that could stand in one. */
@SuiteName("TEST.HOSTILE")
final class HostileSuite extends Suite {
    /** Ends tags, attributes, CDATA and comments; a terminal's escape; what XML has no way to write; what turns a line round. */
    static final String TEXT = "<script>alert('1')</script>\"'&amp;]]>-->\u001b[2J\u0000\uffff\ud800\u202eé\r\nnext";

    /** The same as all reports but JSON show it, before what is particular to XML. */
    static final String SHOWN =
            "<script>alert('1')</script>\"'&amp;]]>-->\\x1B[2J\\x00\\uFFFF\\uD800\\u202Eé\\x0D\\x0Anext";

    @Check(says = TEXT, source = TEXT, level = Level.SHOULD, needs = Needs.DATA_LOSS)
    void one() {}

    @Check(says = "two", source = "nowhere")
    void two() {}

    @Check(says = "three", source = "nowhere")
    void three() {}

    @Check(says = "four", source = "nowhere")
    void four() {}

    /** One of the checks above. */
    static CheckCase check(String name) {
        return Arrays.stream(HostileSuite.class.getDeclaredMethods())
                .filter(method -> method.getName().equals(name))
                .map(method -> new CheckCase(
                        HostileSuite.class.getAnnotation(SuiteName.class),
                        method.getAnnotation(Check.class),
                        method,
                        HostileSuite::new))
                .findFirst()
                .orElseThrow();
    }
}
