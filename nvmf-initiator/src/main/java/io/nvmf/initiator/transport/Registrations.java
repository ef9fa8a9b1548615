package io.nvmf.initiator.transport;

import io.nvmf.transport.rdma.MemoryRegion;
import java.util.Arrays;

/** The registered memory that one device knows, in the order of its addresses; no two overlap. Immutable. */
final class Registrations {
    static final Registrations NONE = new Registrations(new Registration[0]);

    /** Memory and what the device calls it. */
    record Registration(RegisteredMemory memory, MemoryRegion region) {
        /** What the device calls an address of this process. */
        long deviceAddress(long address) {
            return region.address() + (address - memory.start());
        }
    }

    private final Registration[] sorted;

    private Registrations(Registration[] sorted) {
        this.sorted = sorted;
    }

    boolean isEmpty() {
        return sorted.length == 0;
    }

    Registration[] toArray() {
        return sorted.clone();
    }

    /** The one that holds all bytes from {@code address} on, or null. */
    Registration find(long address, int lengthBytes) {
        int low = 0;
        int high = sorted.length - 1;
        while (low <= high) {
            int middle = low + high >>> 1;
            Registration candidate = sorted[middle];
            long offset = address - candidate.memory().start();
            if (offset < 0) {
                high = middle - 1;
            } else if (offset < candidate.memory().lengthBytes()) {
                return offset + lengthBytes <= candidate.memory().lengthBytes() ? candidate : null;
            } else {
                low = middle + 1;
            }
        }
        return null;
    }

    /** The one of this memory, or null. */
    Registration of(RegisteredMemory memory) {
        for (Registration registration : sorted) {
            if (registration.memory() == memory) {
                return registration;
            }
        }
        return null;
    }

    Registrations with(Registration added) {
        Registration[] all = Arrays.copyOf(sorted, sorted.length + 1);
        all[sorted.length] = added;
        Arrays.sort(all, (a, b) -> Long.compare(a.memory().start(), b.memory().start()));
        return new Registrations(all);
    }

    Registrations without(RegisteredMemory memory) {
        return new Registrations(Arrays.stream(sorted)
                .filter(registration -> registration.memory() != memory)
                .toArray(Registration[]::new));
    }
}
