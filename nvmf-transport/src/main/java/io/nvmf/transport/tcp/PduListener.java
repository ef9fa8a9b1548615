package io.nvmf.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.nvmf.codec.tcp.PduException;
import io.nvmf.codec.tcp.PduType;
import java.nio.ByteBuffer;

/**
 * Takes the PDUs that {@link PduDecoder} cuts out of a connection's bytes. Called on the connection's event loop. A
 * {@link PduException} from any method ends the connection with a TermReq.
 */
public interface PduListener {
    /**
     * A whole header has arrived and its digest is right.
     *
     * @param header HLEN bytes from offset 0; valid during this call only
     * @param dataLengthBytes how much data will follow through {@link #onData}; 0 for none
     */
    void onHeader(PduType type, ByteBuffer header, int dataLengthBytes) throws PduException;

    /** The next {@code lengthBytes} bytes of the data; must move {@code in}'s reader index by exactly that. */
    void onData(ByteBuf in, int lengthBytes) throws PduException;

    /**
     * As {@link #onData} when all data of the PDU, and its digest, are in {@code in}: it can be used where it lies.
     *
     * @param digestValid as {@link #onEnd} will say
     */
    default void onAllData(ByteBuf in, int lengthBytes, boolean digestValid) throws PduException {
        onData(in, lengthBytes);
    }

    /**
     * The PDU is complete.
     *
     * @param dataDigestValid false when the data does not match its digest; true without a digest
     */
    void onEnd(boolean dataDigestValid) throws PduException;
}
