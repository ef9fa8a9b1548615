package io.nvmf.it.linux;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Our initiator, which stays connected while the Linux kernel's own target in the guest changes. One boot for all checks. */
@GuestTest
class LinuxTargetChangesIT {
    private static final int FIRST_PORT = 4420;
    private static final int SECOND_PORT = 4421;
    private static final String NQN = "nqn.2026-01.io.nvmf:linux-target-changes";

    @TestFactory
    Stream<DynamicTest> shouldStayWithTheLinuxTarget() throws Exception {
        int port1 = House.freePort();
        int port2 = House.freePort();
        Guest guest =
                new Guest("linux-target-changes").withForward(port1, FIRST_PORT).withForward(port2, SECOND_PORT);
        try (StayingHost host = new StayingHost(NQN, port1, port2)) {
            host.verbs().forEach(guest::answering);
            return guest.answering("save", none -> host.save(guest.share().resolve("written")))
                    .run("linux-target-changes.sh")
                    .tests();
        }
    }
}
