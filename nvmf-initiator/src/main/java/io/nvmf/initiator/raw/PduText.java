package io.nvmf.initiator.raw;

import io.nvmf.codec.Cqe;
import io.nvmf.codec.Opcode;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.StatusNames;
import io.nvmf.codec.tcp.DataPdu;
import io.nvmf.codec.tcp.FatalErrorStatus;
import io.nvmf.codec.tcp.InitializeConnection;
import io.nvmf.codec.tcp.PduHeader;
import io.nvmf.codec.tcp.PduType;
import io.nvmf.codec.tcp.R2T;
import io.nvmf.codec.tcp.TermReq;
import java.nio.ByteBuffer;
import java.util.Locale;

/** PDUs and entries as a person reads them: the specification's names, one line each. */
public final class PduText {
    private PduText() {}

    static String of(RawPdu pdu) {
        ByteBuffer header = pdu.header();
        if (pdu.bytes().length < PduHeader.BYTES) {
            return pdu.bytes().length + " bytes, too few for a PDU";
        }
        PduType type = pdu.type();
        if (type == null) {
            return format(
                    "PDU of type %02Xh HLEN %d PDO %d PLEN %d",
                    PduHeader.type(header), pdu.headerLength(), pdu.dataOffset(), pdu.pduLength());
        }
        return nameOf(type) + fieldsOf(type, header, pdu) + lengthsOf(type, pdu) + flagsOf(pdu);
    }

    /** As the specification spells it. */
    public static String nameOf(PduType type) {
        return switch (type) {
            case IC_REQ -> "ICReq";
            case IC_RESP -> "ICResp";
            case H2C_TERM_REQ -> "H2CTermReq";
            case C2H_TERM_REQ -> "C2HTermReq";
            case CAPSULE_CMD -> "CapsuleCmd";
            case CAPSULE_RESP -> "CapsuleResp";
            case H2C_DATA -> "H2CData";
            case C2H_DATA -> "C2HData";
            case R2T -> "R2T";
        };
    }

    private static String fieldsOf(PduType type, ByteBuffer header, RawPdu pdu) {
        return switch (type) {
            case IC_REQ ->
                format(
                        " PFV %d HPDA %d DGST %d MAXR2T %d",
                        InitializeConnection.formatVersion(header),
                        InitializeConnection.alignmentZeroBased(header),
                        InitializeConnection.digests(header),
                        InitializeConnection.maxR2tZeroBased(header));
            case IC_RESP ->
                format(
                        " PFV %d CPDA %d DGST %d MAXH2CDATA %d",
                        InitializeConnection.formatVersion(header),
                        InitializeConnection.alignmentZeroBased(header),
                        InitializeConnection.digests(header),
                        InitializeConnection.maxH2cDataBytes(header));
            case H2C_TERM_REQ, C2H_TERM_REQ ->
                format(
                        " FES %d (%s) FEI %Xh",
                        TermReq.status(header),
                        FatalErrorStatus.nameOf(TermReq.status(header)),
                        TermReq.information(header));
            case CAPSULE_CMD -> " " + of(pdu.command());
            case CAPSULE_RESP -> " " + of(pdu.completion());
            case H2C_DATA, C2H_DATA ->
                format(
                        " CCCID %04Xh%s DATAO %d DATAL %d",
                        DataPdu.commandId(header),
                        type == PduType.H2C_DATA ? format(" TTAG %04Xh", DataPdu.transferTag(header)) : "",
                        DataPdu.offsetBytes(header),
                        DataPdu.lengthBytes(header));
            case R2T ->
                format(
                        " CCCID %04Xh TTAG %04Xh R2TO %d R2TL %d",
                        R2T.commandId(header),
                        R2T.transferTag(header),
                        R2T.offsetBytes(header),
                        R2T.lengthBytes(header));
        };
    }

    /** The lengths are told where they are not what the type says, and how much data there is. */
    private static String lengthsOf(PduType type, RawPdu pdu) {
        StringBuilder text = new StringBuilder();
        if (pdu.headerLength() != type.headerBytes()) {
            text.append(" HLEN ").append(pdu.headerLength());
        }
        if (pdu.pduLength() != pdu.bytes().length) {
            text.append(" PLEN ").append(pdu.pduLength()).append(" of which ").append(pdu.bytes().length);
        }
        if (pdu.data().length > 0) {
            text.append(" + ")
                    .append(pdu.data().length)
                    .append(" bytes at PDO ")
                    .append(pdu.dataOffset());
        }
        return text.toString();
    }

    private static String flagsOf(RawPdu pdu) {
        StringBuilder text = new StringBuilder();
        text.append(pdu.has(PduHeader.HEADER_DIGEST) ? " HDGST" : "");
        text.append(pdu.headerDigestValid() ? "" : " (wrong)");
        text.append(pdu.has(PduHeader.DATA_DIGEST) ? " DDGST" : "");
        text.append(pdu.dataDigestValid() ? "" : " (wrong)");
        text.append(pdu.has(PduHeader.LAST_PDU) ? " LAST" : "");
        text.append(pdu.has(PduHeader.SUCCESS) ? " SUCCESS" : "");
        return text.toString();
    }

    /** A command: opcode, identifiers, the dwords that are not zero, and where its data is. */
    public static String of(Sqe sqe) {
        StringBuilder text = new StringBuilder(format("CID %04Xh OPC %02Xh", sqe.commandId(), sqe.opcode()));
        if (sqe.opcode() == Opcode.FABRICS) {
            text.append(format(" FCTYPE %02Xh", sqe.fabricsType()));
        } else {
            text.append(format(" NSID %Xh", sqe.nsid()));
        }
        if (sqe.fuse() != 0) {
            text.append(" FUSE ").append(sqe.fuse());
        }
        if (sqe.psdt() != Sqe.PSDT_SGL) {
            text.append(" PSDT ").append(sqe.psdt());
        }
        for (int dword = 10; dword <= 15; dword++) {
            if (sqe.cdw(dword) != 0) {
                text.append(format(" CDW%d %Xh", dword, sqe.cdw(dword)));
            }
        }
        SglDescriptor sgl = sqe.sgl1();
        long length = sgl.identifier() >> 4 == SglDescriptor.KEYED >> 4 ? sgl.keyedLengthBytes() : sgl.lengthBytes();
        if (sgl.identifier() != 0 || length != 0) {
            text.append(format(" SGL %02Xh of %d bytes", sgl.identifier(), length));
        }
        return text.toString();
    }

    /** A completion. */
    public static String of(Cqe cqe) {
        return format(
                "CID %04Xh status %s SQHD %d%s",
                cqe.commandId(),
                status(cqe.status()),
                cqe.sqhd(),
                cqe.result() == 0 ? "" : format(" DW0 %Xh DW1 %Xh", cqe.dw0(), cqe.result() >>> 32));
    }

    /** A status with its flags, and its name where that does not depend on what kind of command it answers. */
    public static String status(int status) {
        return StatusNames.describe(status, StatusNames.Kind.ADMIN);
    }

    private static String format(String form, Object... values) {
        return String.format(Locale.ROOT, form, values);
    }
}
