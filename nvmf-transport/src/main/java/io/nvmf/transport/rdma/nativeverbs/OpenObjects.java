package io.nvmf.transport.rdma.nativeverbs;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** How many objects of the libraries this process has open, so that a leak can be seen. Thread safe. */
enum OpenObjects {
    EVENT_CHANNEL,
    ID,
    DEVICE,
    MEMORY_REGION,
    COMPLETION_CHANNEL,
    COMPLETION_QUEUE,
    QUEUE_PAIR;

    private final AtomicInteger count = new AtomicInteger();

    void opened() {
        count.incrementAndGet();
    }

    void closed() {
        count.decrementAndGet();
    }

    static int total() {
        return Arrays.stream(values()).mapToInt(kind -> kind.count.get()).sum();
    }

    /** {@code ID 2, QUEUE_PAIR 1}; empty when there are none. */
    static String summary() {
        return Arrays.stream(values())
                .filter(kind -> kind.count.get() != 0)
                .map(kind -> kind + " " + kind.count.get())
                .collect(Collectors.joining(", "));
    }
}
