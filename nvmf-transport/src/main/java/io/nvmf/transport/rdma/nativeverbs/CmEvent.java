package io.nvmf.transport.rdma.nativeverbs;

import java.nio.ByteBuffer;

/**
 * What struct rdma_cm_event said: a copy, because the event is given back before anything is done about it. An id cannot
 * be destroyed while an event of it is out.
 *
 * @param id struct rdma_cm_id; of a connect request a new one
 * @param listenId of a connect request, the id that listens
 * @param type RDMA_CM_EVENT_...
 * @param status 0, a negative error number, or why the peer rejected
 * @param privateData at position 0
 * @param responderResources RDMA READs that the peer may have outstanding here
 * @param initiatorDepth RDMA READs that this end may have outstanding there
 */
record CmEvent(
        long id,
        long listenId,
        int type,
        int status,
        ByteBuffer privateData,
        int responderResources,
        int initiatorDepth) {
    static final int CONNECT_REQUEST = 4;

    /** Copies the event at an address, which need not be there afterwards. */
    static CmEvent copyOf(long address) {
        ByteBuffer event = NativeMemory.at(address, Layout.EVENT_BYTES);
        int type = event.getInt(Layout.EVENT_TYPE);
        long data = event.getLong(Layout.EVENT_CONN + Layout.CONN_PRIVATE_DATA);
        int length = event.get(Layout.EVENT_CONN + Layout.CONN_PRIVATE_DATA_LEN) & 0xff;
        byte[] copy = new byte[data == 0 ? 0 : length];
        if (copy.length > 0) {
            NativeMemory.at(data, length).get(copy);
        }
        return new CmEvent(
                event.getLong(Layout.EVENT_ID),
                event.getLong(Layout.EVENT_LISTEN_ID),
                type,
                event.getInt(Layout.EVENT_STATUS),
                ByteBuffer.wrap(copy),
                event.get(Layout.EVENT_CONN + Layout.CONN_RESPONDER_RESOURCES) & 0xff,
                event.get(Layout.EVENT_CONN + Layout.CONN_INITIATOR_DEPTH) & 0xff);
    }
}
