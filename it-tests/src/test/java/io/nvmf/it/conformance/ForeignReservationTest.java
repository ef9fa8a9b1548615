package io.nvmf.it.conformance;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.nvmf.codec.log.TransportType;
import io.nvmf.codec.reservation.ReservationCommand;
import io.nvmf.codec.reservation.ReservationType;
import io.nvmf.conformance.ForeignReservationException;
import io.nvmf.conformance.RunOptions;
import io.nvmf.conformance.Runner;
import io.nvmf.conformance.TargetUnderTest;
import io.nvmf.initiator.NvmfHost;
import io.nvmf.initiator.controller.ConnectOptions;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.namespace.Reservations;
import io.nvmf.target.NvmfTarget;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A namespace that another host has registered with is not overwritten. */
class ForeignReservationTest {
    private static final UUID OURS = UUID.fromString("5c8f1b1e-0000-4000-8000-000000000001");
    private static final UUID FOREIGN = UUID.fromString("5c8f1b1e-0000-4000-8000-00000000f0e1");

    private NvmfTarget target;

    @BeforeEach
    void start() throws Exception {
        target = OwnTarget.start();
    }

    @AfterEach
    void stop() {
        target.close();
    }

    @Test
    void shouldRefuseToLoseDataWhenAnotherHostHoldsAReservation() throws Exception {
        register(FOREIGN, true);
        ForeignReservationException refused =
                assertThrows(ForeignReservationException.class, () -> new Runner(tested(), RunOptions.everything()));
        assertEquals(
                "namespace 1 is in use: host " + FOREIGN
                        + " (key feedh), who holds its reservation, has registered with it",
                refused.getMessage());
    }

    @Test
    void shouldRefuseToLoseDataWhenAnotherHostIsRegistered() throws Exception {
        register(FOREIGN, false);
        assertThrows(ForeignReservationException.class, () -> new Runner(tested(), RunOptions.everything()));
    }

    @Test
    void shouldRunWhenNoDataMayBeLost() throws Exception {
        register(FOREIGN, true);
        assertDoesNotThrow(() -> new Runner(tested(), RunOptions.harmless()));
    }

    @Test
    void shouldRunWhenOnlyHostsOfTheChecksAreRegistered() throws Exception {
        register(OURS, false);
        register(tested().secondHostId(), false);
        assertDoesNotThrow(() -> new Runner(tested(), RunOptions.everything()));
    }

    private TargetUnderTest tested() {
        return new TargetUnderTest(
                TransportType.TCP,
                target.listeners().get(0).address(),
                OwnTarget.NQN,
                0,
                "nqn.2014-08.org.nvmexpress:uuid:" + OURS,
                OURS,
                5_000,
                1);
    }

    private void register(UUID hostId, boolean acquire) throws Exception {
        try (NvmfHost host = NvmfHost.builder().hostId(hostId).ioThreads(1).build();
                Controller controller = host.connect(ConnectOptions.of(
                        TransportType.TCP, target.listeners().get(0).address(), OwnTarget.NQN))) {
            Reservations reservations = controller.namespace(1).reservations();
            reservations
                    .register(0xFEED, ReservationCommand.PERSISTENCE_UNCHANGED)
                    .get();
            if (acquire) {
                reservations.acquire(0xFEED, ReservationType.WRITE_EXCLUSIVE).get();
            }
        }
    }
}
