package io.nvmf.initiator.raw;

/**
 * What a target sent over RDMA, in one SEND.
 *
 * @param invalidates whether it was a SEND WITH INVALIDATE
 * @param invalidatedKey of that
 */
public record RawMessage(byte[] bytes, boolean invalidates, int invalidatedKey) {
    @Override
    public String toString() {
        return RdmaText.message(this);
    }
}
