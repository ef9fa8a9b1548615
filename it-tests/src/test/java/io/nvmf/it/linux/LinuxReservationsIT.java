package io.nvmf.it.linux;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Two Linux hosts in one guest reserve a namespace of our target, which runs outside. One boot for all checks. */
@GuestTest
class LinuxReservationsIT {
    private static final String NQN = "nqn.2026-01.io.nvmf:linux-reservations";

    @TestFactory
    Stream<DynamicTest> shouldReserveForTheLinuxHost() throws Exception {
        Guest guest = new Guest("linux-reservations");
        Path images = House.emptyDirectory("linux-reservations-images");
        int port = House.freePort();
        try (TargetProcess target = TargetProcess.ofFiles(
                images, NQN, List.of(port), "1,size=16m,block-size=512,ptpl=" + images.resolve("reservations"))) {
            target.start();
            return guest.answering("kill-target", none -> {
                        target.kill();
                        return "";
                    })
                    .answering("start-target", none -> {
                        target.start();
                        return "";
                    })
                    .run("linux-reservations.sh", "10.0.2.2", "" + port, NQN)
                    .tests();
        }
    }
}
