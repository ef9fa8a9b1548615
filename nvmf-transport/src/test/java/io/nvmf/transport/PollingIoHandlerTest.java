package io.nvmf.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import org.junit.jupiter.api.Test;

class PollingIoHandlerTest {
    private static final long SHORT_NS = PollingIoHandler.PATIENCE_NS / 2;
    private static final long LONG_NS = PollingIoHandler.PATIENCE_NS * 2;
    /** What a look without anything to see takes. */
    private static final long LOOK_NS = PollingIoHandler.PATIENCE_NS / 10;

    private long nowNs;
    private final Machine machine = new Machine();
    private final PollingIoHandler handler = new PollingIoHandler(machine, false, () -> nowNs);

    @Test
    void shouldSleepAtOnceWhenWorkHasNotComeSoonLately() {
        for (int i = 0; i < 10; i++) {
            awaitWorkIn(LONG_NS);
        }
        assertEquals(10, machine.sleeps);
        assertEquals(0, machine.looks);
    }

    @Test
    void shouldLookAgainInsteadOfSleepingWhenWorkComesSoon() {
        becomePatient();
        awaitWorkIn(SHORT_NS);
        assertEquals(0, machine.sleeps);
        assertTrue(machine.looks > 1);
    }

    @Test
    void shouldSleepWhenWorkHasNotComeForAWhile() {
        becomePatient();
        awaitWorkIn(LONG_NS);
        assertEquals(1, machine.sleeps);
        assertEquals(PollingIoHandler.PATIENCE_NS / LOOK_NS, machine.looks);
    }

    @Test
    void shouldSleepAtOnceAfterItLookedInVain() {
        becomePatient();
        awaitWorkIn(LONG_NS);
        machine.forget();
        for (int i = 0; i < PollingIoHandler.FEW_SHORT_WAITS; i++) {
            awaitWorkIn(SHORT_NS);
        }
        assertEquals(PollingIoHandler.FEW_SHORT_WAITS, machine.sleeps);
    }

    @Test
    void shouldBePatientSeldomWhenItWasInVainAgainAndAgain() {
        int waits = 20_000;
        int looks = 0;
        for (int i = 0; i < waits; i++) {
            machine.forget();
            // As where the other end runs only once this sleeps: sleeps are short, looks in vain.
            machine.workWaitsForSleep = true;
            awaitWorkIn(SHORT_NS);
            looks += machine.looks > 0 ? 1 : 0;
        }
        assertTrue(looks > 0 && looks < 20, looks + " of " + waits);
        // Once looking has helped, a single time in vain counts no more than the first.
        machine.workWaitsForSleep = false;
        for (int i = 0; i < PollingIoHandler.MANY_SHORT_WAITS + 1; i++) {
            awaitWorkIn(SHORT_NS);
        }
        awaitWorkIn(LONG_NS);
        machine.forget();
        for (int i = 0; i < waits; i++) {
            awaitWorkIn(SHORT_NS);
        }
        assertEquals(2 * PollingIoHandler.FEW_SHORT_WAITS, machine.sleeps);
    }

    @Test
    void shouldNotSleepWhenTasksWait() {
        machine.tasksWait = true;
        handler.run(machine);
        assertEquals(0, machine.sleeps);
        assertEquals(1, machine.looks);
    }

    @Test
    void shouldNeverSleepWhenItPollsAlways() {
        PollingIoHandler always = new PollingIoHandler(machine, true, () -> nowNs);
        machine.workAtNs = Long.MAX_VALUE;
        for (int i = 0; i < 1000; i++) {
            always.run(machine);
        }
        assertEquals(0, machine.sleeps);
        always.wakeup();
        assertFalse(machine.isWoken);
    }

    @Test
    void shouldWakeTheLoopWhenItMaySleep() {
        handler.wakeup();
        assertTrue(machine.isWoken);
    }

    private void becomePatient() {
        for (int i = 0; i < PollingIoHandler.FEW_SHORT_WAITS; i++) {
            awaitWorkIn(SHORT_NS);
        }
        assertEquals(PollingIoHandler.FEW_SHORT_WAITS, machine.sleeps);
        machine.forget();
    }

    private void awaitWorkIn(long ns) {
        machine.workAtNs = nowNs + ns;
        machine.workAfterSleepNs = ns;
        while (handler.run(machine) == 0) {
            // It looks again.
        }
    }

    /** A handler, and the loop it belongs to, in a time of their own: sleeping takes it to where the work comes. */
    private final class Machine implements IoHandler, IoHandlerContext {
        long workAtNs;
        boolean workWaitsForSleep;
        long workAfterSleepNs;
        boolean tasksWait;
        boolean isWoken;
        int sleeps;
        int looks;

        void forget() {
            sleeps = 0;
            looks = 0;
        }

        @Override
        public int run(IoHandlerContext context) {
            if (context.canBlock()) {
                sleeps++;
                nowNs = workWaitsForSleep ? nowNs + workAfterSleepNs : Math.max(nowNs, workAtNs);
                return 1;
            }
            looks++;
            nowNs += LOOK_NS;
            return !workWaitsForSleep && nowNs >= workAtNs ? 1 : 0;
        }

        @Override
        public boolean canBlock() {
            return !tasksWait;
        }

        @Override
        public void wakeup() {
            isWoken = true;
        }

        @Override
        public long delayNanos(long currentTimeNanos) {
            return 0;
        }

        @Override
        public long deadlineNanos() {
            return -1;
        }

        @Override
        public IoRegistration register(IoHandle handle) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isCompatible(Class<? extends IoHandle> handleType) {
            return false;
        }
    }
}
