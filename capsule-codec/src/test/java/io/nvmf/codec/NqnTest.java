package io.nvmf.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NqnTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                Nqn.DISCOVERY,
                "nqn.2016-06.io.spdk:cnode1",
                "nqn.2024-01.com.example:disk 1/\u00e9",
                "nqn.2024-12.com.example",
                "nqn.2014-08.org.nvmexpress:uuid:00000000-0000-0000-0000-00000000000A",
                "nqn.2014-08.org.nvmexpress:nvme:nvm-subsystem-sn-d78432"
            })
    void shouldAcceptWellFormedName(String nqn) {
        assertEquals(Optional.empty(), Nqn.problem(nqn));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "testnqn | does not start with nqn.yyyy-mm.",
                "NQN.2024-01.com.example:a | does not start with",
                "nqn.2024-13.com.example:a | does not start with",
                "nqn.24-01.com.example:a | does not start with",
                "nqn.2024-01 | does not start with",
                "nqn.2024-01.:a | has no reverse domain name after nqn.2024-01.",
                "nqn.2024-01.com..example:a | has no reverse domain name",
                "nqn.2024-01.com.-example:a | has no reverse domain name",
                "nqn.2024-01.com.example: | has nothing after its colon",
                "nqn.2014-08.org.nvmexpress:uuid:123 | does not end with a UUID"
            })
    void shouldTellProblemOfMalformedName(String nqn, String problem) {
        assertTrue(Nqn.problem(nqn).orElse("none").contains(problem), () -> nqn + ": " + Nqn.problem(nqn));
    }

    @Test
    void shouldRefuseControlCharactersAndEmptyName() {
        assertEquals(Optional.of("the NQN is empty"), Nqn.problem(""));
        assertEquals(Optional.of("the NQN has a control character"), Nqn.problem("nqn.2024-01.com.example:a\0b"));
        assertEquals(Optional.of("the NQN has a control character"), Nqn.problem("nqn.2024-01.com.example:a\n"));
    }

    @Test
    void shouldCountBytesNotCharacters() {
        String prefix = "nqn.2024-01.com.example:";
        assertEquals(Optional.empty(), Nqn.problem(prefix + "a".repeat(223 - prefix.length())));
        assertEquals(
                Optional.of("the NQN has 224 bytes, more than 223"),
                Nqn.problem(prefix + "a".repeat(224 - prefix.length())));
        assertEquals(
                Optional.of("the NQN has 224 bytes, more than 223"),
                Nqn.problem(prefix + "\u00e9".repeat((224 - prefix.length()) / 2)));
    }
}
