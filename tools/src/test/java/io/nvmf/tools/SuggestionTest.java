package io.nvmf.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SuggestionTest {
    private static final List<String> WORDS = List.of("target", "discover", "list", "id-ctrl", "id-ns");

    @Test
    void shouldFindWordWhenLettersAreSwappedMissingOrAdded() {
        assertEquals(Optional.of("target"), Suggestion.closest("traget", WORDS));
        assertEquals(Optional.of("target"), Suggestion.closest("targt", WORDS));
        assertEquals(Optional.of("id-ns"), Suggestion.closest("idns", WORDS));
        assertEquals(Optional.of("list"), Suggestion.closest("lists", WORDS));
    }

    @Test
    void shouldFindWordWhenItWasCutShort() {
        assertEquals(Optional.of("discover"), Suggestion.closest("disc", WORDS));
    }

    @Test
    void shouldFindNothingWhenNoWordIsNear() {
        assertEquals(Optional.empty(), Suggestion.closest("connect", WORDS));
    }

    @Test
    void shouldCountSwapAsOne() {
        assertEquals(1, Suggestion.distance("ab", "ba"));
        assertEquals(3, Suggestion.distance("", "abc"));
        assertEquals(0, Suggestion.distance("same", "same"));
    }
}
