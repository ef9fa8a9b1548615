package io.nvmf.target.controller;

import io.nvmf.codec.log.ReservationNotification;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the host of a controller is told of reservations: the pages of log 80h that it has not read yet, and what it does not
 * want to know (feature 82h). When there are too many pages the oldest go, which the count of the others shows. Owned by the
 * admin queue's event loop, but for the masks, which whoever changes a reservation reads at that moment.
 */
public final class ReservationNotices {
    /** One to be read, and as many as a page can say that are still to come. */
    static final int MAX_PAGES = 256;

    private record Notice(long count, int type, long nsid) {}

    private final ArrayDeque<Notice> unread = new ArrayDeque<>();
    private final Map<Long, Integer> masks = new ConcurrentHashMap<>();
    private long count;

    /** Bits of feature 82h for a namespace: bit n stands for notifications of type n. */
    public int mask(long nsid) {
        return masks.getOrDefault(nsid, 0);
    }

    public void mask(long nsid, int bits) {
        masks.put(nsid, bits);
    }

    /** Whether the host does not want to know of notifications of a type. Any thread. */
    boolean isMasked(long nsid, int type) {
        return (mask(nsid) & 1 << type) != 0;
    }

    /**
     * Something has happened to a reservation or registration of this host, and was not masked then.
     *
     * @param type as {@link ReservationNotification} has it
     */
    public void add(long nsid, int type) {
        if (unread.size() == MAX_PAGES) {
            unread.remove();
        }
        unread.add(new Notice(++count, type, nsid));
    }

    /** The oldest page. */
    public ReservationNotification page() {
        Notice oldest = unread.peek();
        return oldest == null
                ? ReservationNotification.EMPTY
                : new ReservationNotification(oldest.count, oldest.type, unread.size() - 1, oldest.nsid);
    }

    /** The oldest page has been read. @return whether there are more */
    public boolean read() {
        unread.poll();
        return !unread.isEmpty();
    }
}
