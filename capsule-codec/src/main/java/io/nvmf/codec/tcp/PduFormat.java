package io.nvmf.codec.tcp;

import io.nvmf.codec.Crc32c;
import io.nvmf.codec.tcp.PduType.Data;
import io.nvmf.codec.tcp.PduType.Direction;
import java.nio.ByteBuffer;

/**
 * What the two ends of a connection agreed on with ICReq and ICResp, and what follows for one direction: how long a
 * header is, where data starts, and whether a received header may be believed.
 *
 * @param direction of the PDUs described
 * @param headerDigest whether PDUs carry HDGST
 * @param dataDigest whether data carries DDGST
 * @param dataAlignmentBytes PDO is a multiple of this: 4 * (CPDA + 1) for H2C, 4 * (HPDA + 1) for C2H
 */
public record PduFormat(Direction direction, boolean headerDigest, boolean dataDigest, int dataAlignmentBytes) {
    /** The largest CPDA or HPDA, zero-based dwords (NVMe/TCP 1.0 s3.6.2.1). */
    public static final int MAX_ALIGNMENT_ZERO_BASED = 31;

    private static final int TERM_REQ_MAX_BYTES = 152;

    /** Before ICResp: no digests. */
    public static PduFormat initial(Direction direction) {
        return new PduFormat(direction, false, false, 4);
    }

    /** Bytes of HDGST in a PDU of this type: 4 or 0. */
    public int headerDigestBytes(PduType type) {
        return headerDigest && type.isDigested() ? Crc32c.BYTES : 0;
    }

    /** Bytes of DDGST behind data: 4 or 0. */
    public int dataDigestBytes() {
        return dataDigest ? Crc32c.BYTES : 0;
    }

    /** PDO for data in a PDU of this type. */
    public int dataOffset(PduType type) {
        int end = type.headerBytes() + headerDigestBytes(type);
        return (end + dataAlignmentBytes - 1) / dataAlignmentBytes * dataAlignmentBytes;
    }

    /**
     * Checks the eight bytes that start every PDU, and returns the type.
     *
     * @throws PduException FES 1 with the offset of the first field that cannot be
     */
    public PduType check(ByteBuffer header) throws PduException {
        PduType type = PduType.of(PduHeader.type(header));
        if (type == null || type.direction() != direction) {
            throw PduException.invalidField(PduHeader.TYPE_OFFSET, "unexpected PDU type " + PduHeader.type(header));
        }
        if (PduHeader.headerLength(header) != type.headerBytes()) {
            throw PduException.invalidField(
                    PduHeader.HLEN_OFFSET, type + " with HLEN " + PduHeader.headerLength(header));
        }
        int end = type.headerBytes() + headerDigestBytes(type);
        boolean hasData = PduHeader.pduLength(header) > end;
        checkFlags(header, type, hasData);
        checkLength(header, type, end, hasData);
        if (hasData && type.data() != Data.HEADER_COPY) {
            checkDataOffset(header, type, end);
        }
        return type;
    }

    private void checkFlags(ByteBuffer header, PduType type, boolean hasData) throws PduException {
        boolean headerFlag = PduHeader.hasFlag(header, PduHeader.HEADER_DIGEST);
        boolean dataFlag = PduHeader.hasFlag(header, PduHeader.DATA_DIGEST);
        boolean headerFlagWrong = headerFlag != (headerDigest && type.isDigested());
        // Without data the flag has nothing to speak of: some hosts set it on every PDU once digests are agreed.
        boolean dataFlagWrong = hasData && type.isDigested() ? dataFlag != dataDigest : dataFlag && !dataDigest;
        if (headerFlagWrong || dataFlagWrong) {
            throw PduException.invalidField(
                    PduHeader.FLAGS_OFFSET, type + " with digest flags that were not agreed on");
        }
    }

    private static void checkLength(ByteBuffer header, PduType type, int end, boolean hasData) throws PduException {
        long plen = PduHeader.pduLength(header);
        boolean wrong = switch (type.data()) {
            case NONE -> plen != end;
            case OPTIONAL -> plen < end;
            case REQUIRED -> !hasData;
            case HEADER_COPY -> plen < end || plen > TERM_REQ_MAX_BYTES;
        };
        if (wrong || plen > Integer.MAX_VALUE) {
            throw PduException.invalidField(PduHeader.PLEN_OFFSET, type + " with PLEN " + plen);
        }
    }

    private void checkDataOffset(ByteBuffer header, PduType type, int end) throws PduException {
        int pdo = PduHeader.dataOffset(header);
        boolean inside = pdo >= end && pdo + dataDigestBytes() < PduHeader.pduLength(header);
        if (!inside || pdo % dataAlignmentBytes != 0) {
            throw PduException.invalidField(PduHeader.PDO_OFFSET, type + " with PDO " + pdo);
        }
    }

    /** Bytes of data in a checked PDU, without padding and digests. */
    public int dataLength(ByteBuffer header, PduType type) {
        long plen = PduHeader.pduLength(header);
        int end = type.headerBytes() + headerDigestBytes(type);
        if (plen <= end) {
            return 0;
        }
        int overhead = type.data() == Data.HEADER_COPY ? end : PduHeader.dataOffset(header) + dataDigestBytes();
        return (int) plen - overhead;
    }
}
