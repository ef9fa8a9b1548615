package io.nvmf.initiator.transport;

import io.nvmf.codec.tcp.FatalErrorStatus;
import io.nvmf.codec.tcp.InitializeConnection;
import io.nvmf.codec.tcp.PduException;
import io.nvmf.codec.tcp.PduFormat;
import io.nvmf.codec.tcp.PduType;
import java.nio.ByteBuffer;

/**
 * What ICReq and ICResp settle for a connection (NVMe/TCP 1.0 s3.6.2.1 and s3.6.2.2).
 *
 * @param sending format of the PDUs of this host
 * @param receiving format of the PDUs of the controller
 * @param maxH2cDataBytes MAXH2CDATA, the most data of one H2CData PDU
 */
record Agreement(PduFormat sending, PduFormat receiving, int maxH2cDataBytes) {
    /** No padding is wanted before the data of C2HData PDUs. */
    static final int HPDA = 0;

    private static final int MIN_MAX_H2C_DATA_BYTES = 4096;

    /** The digests to ask for, as bits of DGST. */
    static int digests(TcpOptions options) {
        return (options.headerDigest() ? InitializeConnection.DIGEST_HEADER : 0)
                | (options.dataDigest() ? InitializeConnection.DIGEST_DATA : 0);
    }

    /** Reads a whole ICResp; throws if it leaves out or adds a digest, or says what cannot be. */
    static Agreement of(ByteBuffer icResp, TcpOptions options) throws PduException {
        int version = InitializeConnection.formatVersion(icResp);
        if (version != 0) {
            throw unsupported(InitializeConnection.PFV_OFFSET, "ICResp with PDU format version " + version);
        }
        int cpda = InitializeConnection.alignmentZeroBased(icResp);
        if (cpda > PduFormat.MAX_ALIGNMENT_ZERO_BASED) {
            throw PduException.invalidField(InitializeConnection.ALIGNMENT_OFFSET, "ICResp with CPDA " + cpda);
        }
        int wanted = digests(options);
        int given = InitializeConnection.digests(icResp);
        if (given != wanted) {
            throw unsupported(
                    InitializeConnection.DIGEST_OFFSET,
                    "ICResp with digests " + given + " where " + wanted + " were asked for");
        }
        long maxH2cData = InitializeConnection.maxH2cDataBytes(icResp);
        if (maxH2cData < MIN_MAX_H2C_DATA_BYTES || maxH2cData % 4 != 0) {
            throw PduException.invalidField(
                    InitializeConnection.MAX_H2C_DATA_OFFSET, "ICResp with MAXH2CDATA " + maxH2cData);
        }
        return new Agreement(
                format(PduType.Direction.H2C, options, cpda), format(PduType.Direction.C2H, options, HPDA), (int)
                        Math.min(maxH2cData, Integer.MAX_VALUE & ~3));
    }

    private static PduFormat format(PduType.Direction direction, TcpOptions options, int alignmentZeroBased) {
        return new PduFormat(direction, options.headerDigest(), options.dataDigest(), 4 * (alignmentZeroBased + 1));
    }

    private static PduException unsupported(int offset, String message) {
        return new PduException(FatalErrorStatus.UNSUPPORTED_PARAMETER, offset, message);
    }
}
