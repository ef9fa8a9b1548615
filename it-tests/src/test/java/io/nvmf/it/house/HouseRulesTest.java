package io.nvmf.it.house;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The rooms of the house keep to their own side. */
class HouseRulesTest {
    private static final String BAD_HOUSE = "io.nvmf.it.house.badhouse";

    @TestFactory
    Stream<DynamicTest> shouldImportOnlyWhatItsRoomMay() {
        JavaClasses house = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .withImportOption(location -> !location.contains("-tests.jar"))
                .importPackages("io.nvmf");
        return HouseRules.of("io.nvmf").entrySet().stream()
                .map(rule -> dynamicTest(rule.getKey(), () -> rule.getValue().check(house)));
    }

    /** A small house where every kind of rule is broken once, so that each is seen to notice. */
    @Test
    void shouldNoticeBreachesWhenAHouseHasThem() {
        JavaClasses badHouse = new ClassFileImporter().importPackages(BAD_HOUSE);
        Set<String> noticed = new TreeSet<>();
        HouseRules.of(BAD_HOUSE).forEach((name, rule) -> {
            if (rule.allowEmptyShould(true).evaluate(badHouse).hasViolation()) {
                noticed.add(name);
            }
        });
        assertAll(
                () -> assertTrue(noticed.contains("codec imports of other rooms only []"), noticed::toString),
                () -> assertTrue(noticed.contains("codec uses only calculation of the JDK"), noticed::toString),
                () -> assertTrue(noticed.contains("codec has no threads and no clock"), noticed::toString),
                () -> assertTrue(
                        noticed.contains("initiator imports of other rooms only [codec, transport]"),
                        noticed::toString),
                () -> assertTrue(
                        noticed.contains(BAD_HOUSE + ".target.backend.. calls only downwards"), noticed::toString),
                () -> assertFalse(
                        noticed.contains(BAD_HOUSE + ".target.queue.. calls only downwards"), noticed::toString));
    }

    @Test
    void shouldFailWhenARuleFindsNoClasses() {
        JavaClasses nothing = new ClassFileImporter().importPackages("io.nvmf.nowhere");
        for (Map.Entry<String, ArchRule> rule : HouseRules.of("io.nvmf").entrySet()) {
            AssertionError error = null;
            try {
                rule.getValue().check(nothing);
            } catch (AssertionError e) {
                error = e;
            }
            assertTrue(error != null, () -> "passes without looking at a class: " + rule.getKey());
        }
    }
}
