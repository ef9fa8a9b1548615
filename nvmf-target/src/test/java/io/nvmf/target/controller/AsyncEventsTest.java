package io.nvmf.target.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.feature.AsyncEvent;
import io.nvmf.codec.feature.AsyncEventConfig;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AsyncEventsTest {
    private static final AsyncEvent NAMESPACE = AsyncEvent.NAMESPACE_ATTRIBUTE_CHANGED;
    private static final AsyncEvent DISCOVERY = AsyncEvent.DISCOVERY_LOG_CHANGE;

    private final AsyncEvents events = new AsyncEvents();
    private final List<Long> reported = new ArrayList<>();
    private final List<Integer> aborted = new ArrayList<>();

    @BeforeEach
    void enable() {
        events.config(AsyncEventConfig.NAMESPACE_ATTRIBUTE | AsyncEventConfig.DISCOVERY_LOG_CHANGE);
    }

    private boolean park(int commandId) {
        return events.park(commandId, reported::add, () -> aborted.add(commandId));
    }

    private void namespaceChanged() {
        events.occurred(NAMESPACE, AsyncEventConfig.NAMESPACE_ATTRIBUTE);
    }

    @Test
    void shouldReportOnceUntilTheLogIsRead() {
        park(1);
        park(2);
        namespaceChanged();
        namespaceChanged();
        assertEquals(List.of(NAMESPACE.dw0()), reported);
        events.onLogRead(NAMESPACE.logPageId());
        assertEquals(1, reported.size(), "what had happened was in the log");
        namespaceChanged();
        assertEquals(2, reported.size());
    }

    @Test
    void shouldHoldAnEventWhileNobodyAsks() {
        namespaceChanged();
        park(1);
        assertEquals(List.of(NAMESPACE.dw0()), reported);
    }

    @Test
    void shouldForgetAHeldEventWhenItsLogIsReadFirst() {
        namespaceChanged();
        events.onLogRead(NAMESPACE.logPageId());
        park(1);
        assertEquals(List.of(), reported);
    }

    @Test
    void shouldReportEventsOfDifferentKindsIndependently() {
        park(1);
        park(2);
        namespaceChanged();
        events.occurred(DISCOVERY, AsyncEventConfig.DISCOVERY_LOG_CHANGE);
        assertEquals(List.of(NAMESPACE.dw0(), DISCOVERY.dw0()), reported);
        events.onLogRead(DISCOVERY.logPageId());
        park(3);
        namespaceChanged();
        assertEquals(2, reported.size(), "the namespace list has not been read");
    }

    @Test
    void shouldKeepSilentAboutWhatTheHostDoesNotWantToKnow() {
        events.config(0);
        park(1);
        namespaceChanged();
        assertEquals(List.of(), reported);
    }

    @Test
    void shouldKeepNoMoreRequestsThanItSays() {
        for (int i = 0; i < AsyncEvents.MAX_REQUESTS; i++) {
            assertTrue(park(i));
        }
        assertFalse(park(9));
        assertTrue(events.abort(2));
        assertEquals(List.of(2), aborted);
        assertFalse(events.abort(2));
        assertTrue(park(9));
    }

    @Test
    void shouldAbortAllAtReset() {
        park(1);
        park(2);
        events.reset();
        assertEquals(List.of(1, 2), aborted);
        assertEquals(0, events.config());
    }
}
