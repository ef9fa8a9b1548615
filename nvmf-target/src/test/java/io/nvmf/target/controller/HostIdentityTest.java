package io.nvmf.target.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class HostIdentityTest {
    @Test
    void shouldShowNothingInALogThatIsNotText() {
        assertEquals("nqn.h\u00F6st", HostIdentity.printable("nqn.h\u00F6st"));
        assertEquals("a?b?c?d?e?f?", HostIdentity.printable("a\nb\u009Bc\u2028d\u202Ee\uD800f\u0000"));
    }
}
