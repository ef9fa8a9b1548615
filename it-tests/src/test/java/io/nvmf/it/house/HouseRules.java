package io.nvmf.it.house;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.lang.ArchRule;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Who may import whom, as rules by name. A rule that finds no class to look at fails (ArchUnit's default), so a
 * renamed package cannot switch one off.
 */
final class HouseRules {
    /** Each room, with the other rooms it may import. */
    private static final Map<String, List<String>> ROOMS = Map.of(
            "codec", List.of(),
            "transport", List.of("codec"),
            "target", List.of("codec", "transport"),
            "initiator", List.of("codec", "transport"),
            "conformance", List.of("codec", "transport", "initiator"));

    /** The libraries that may be imported beside the JDK; a room that is not here may use any. */
    private static final Map<String, List<String>> LIBRARIES = Map.of(
            "codec", List.of(),
            "transport", List.of("io.netty", "jnr", "com.kenai.jffi", "com.ibm.disni", "org.slf4j"),
            "target", List.of("io.netty", "jnr", "org.slf4j"),
            "initiator", List.of("io.netty", "org.slf4j"),
            "conformance", List.of("io.netty", "com.fasterxml.jackson"));

    /** What the codec may use of the JDK: no sockets, files, threads or logging. */
    private static final String[] CODEC_JDK = {
        "java.lang..",
        "java.math",
        "java.nio",
        "java.nio.charset",
        "java.util",
        "java.util.function",
        "java.util.regex",
        "java.util.stream",
        "java.util.zip"
    };

    /** The layers of a room from the top; a layer may import the ones below it. */
    private static final Map<String, List<String>> LAYERS = Map.of(
            "target",
            List.of(
                    "transport",
                    "queue",
                    "command",
                    "controller",
                    "discovery",
                    "subsystem",
                    "namespace",
                    "config",
                    "state",
                    "reservation",
                    "backend"),
            "initiator",
            List.of("raw", "discovery", "controller", "namespace", "queue", "transport"));

    private HouseRules() {}

    /** All rules for the house whose packages start with {@code root}. */
    static Map<String, ArchRule> of(String root) {
        Map<String, ArchRule> rules = new LinkedHashMap<>();
        ROOMS.forEach((room, others) ->
                rules.put(room + " imports of other rooms only " + others, importsOnly(root, room, others)));
        rules.put("codec uses only calculation of the JDK", codecOnlyCalculates(root));
        rules.put("codec has no threads and no clock", codecHasNoThreadsAndNoClock(root));
        LAYERS.forEach((room, layers) -> addLayers(rules, root + "." + room, layers));
        return rules;
    }

    private static ArchRule importsOnly(String root, String room, List<String> others) {
        List<String> allowed = new ArrayList<>(
                List.of(root + "." + room + "..", "java..", "javax..", "jdk.net..", "com.sun.management.."));
        others.forEach(other -> allowed.add(root + "." + other + ".."));
        LIBRARIES.get(room).forEach(library -> allowed.add(library + ".."));
        return classes()
                .that()
                .resideInAPackage(root + "." + room + "..")
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(allowed.toArray(String[]::new)));
    }

    private static ArchRule codecOnlyCalculates(String root) {
        String[] allowed = Stream.concat(Stream.of(root + ".codec.."), Arrays.stream(CODEC_JDK))
                .toArray(String[]::new);
        return classes()
                .that()
                .resideInAPackage(root + ".codec..")
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(allowed));
    }

    private static ArchRule codecHasNoThreadsAndNoClock(String root) {
        return noClasses()
                .that()
                .resideInAPackage(root + ".codec..")
                .should()
                .dependOnClassesThat()
                .areAssignableTo(Thread.class)
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis");
    }

    /** One rule a layer: it imports nothing of its room that is above it, nor the room's front door. */
    private static void addLayers(Map<String, ArchRule> rules, String room, List<String> layers) {
        for (int i = 0; i < layers.size(); i++) {
            String layer = room + "." + layers.get(i) + "..";
            String[] below = layers.subList(i, layers.size()).stream()
                    .map(lower -> room + "." + lower + "..")
                    .toArray(String[]::new);
            rules.put(
                    layer + " calls only downwards",
                    noClasses()
                            .that()
                            .resideInAPackage(layer)
                            .should()
                            .dependOnClassesThat(resideInAPackage(room + "..").and(not(resideInAnyPackage(below)))));
        }
    }
}
