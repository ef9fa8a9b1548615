package io.nvmf.transport.rdma;

/** A batch of work completions (ibv_wc), filled by {@link CompletionQueue#poll} and used again. Not thread safe. */
public final class Completions {
    /** IBV_WC_SUCCESS. */
    public static final int SUCCESS = 0;
    /** IBV_WC_WR_FLUSH_ERR: the queue pair was in error before the work was done; no error of its own. */
    public static final int FLUSHED = 5;

    private static final String[] STATUS_NAMES = {
        "success",
        "local length error",
        "local QP operation error",
        "local EE context operation error",
        "local protection error",
        "flushed",
        "memory window bind error",
        "bad response",
        "local access error",
        "remote invalid request",
        "remote access error",
        "remote operation error",
        "transport retry counter exceeded",
        "RNR retry counter exceeded",
        "local RDD violation",
        "remote invalid RD request",
        "remote aborted",
        "invalid EE context number",
        "invalid EE context state",
        "fatal error",
        "response timeout",
        "general error"
    };

    private final long[] workIds;
    private final int[] statuses;
    private final int[] lengths;
    private final int[] invalidatedKeys;
    private final boolean[] invalidated;

    public Completions(int capacity) {
        workIds = new long[capacity];
        statuses = new int[capacity];
        lengths = new int[capacity];
        invalidatedKeys = new int[capacity];
        invalidated = new boolean[capacity];
    }

    public int capacity() {
        return workIds.length;
    }

    /** For providers: sets entry {@code index}. */
    public void set(int index, long workId, int status, int lengthBytes, boolean hasInvalidated, int invalidatedKey) {
        workIds[index] = workId;
        statuses[index] = status;
        lengths[index] = lengthBytes;
        invalidated[index] = hasInvalidated;
        invalidatedKeys[index] = invalidatedKey;
    }

    /** What the work request was given. */
    public long workId(int index) {
        return workIds[index];
    }

    /** As libibverbs numbers them; {@link #SUCCESS}, {@link #FLUSHED}, others for {@link #statusName}. */
    public int status(int index) {
        return statuses[index];
    }

    /** Of a receive that succeeded: how many bytes came. */
    public int lengthBytes(int index) {
        return lengths[index];
    }

    /** Of a receive that succeeded: whether it came as SEND WITH INVALIDATE. */
    public boolean hasInvalidatedKey(int index) {
        return invalidated[index];
    }

    /** The key that the peer's SEND WITH INVALIDATE has ended. */
    public int invalidatedKey(int index) {
        return invalidatedKeys[index];
    }

    public static String statusName(int status) {
        return status >= 0 && status < STATUS_NAMES.length ? STATUS_NAMES[status] : "status " + status;
    }
}
