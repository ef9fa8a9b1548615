package io.nvmf.initiator.raw;

import io.nvmf.codec.Cqe;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.rdma.AcceptData;
import io.nvmf.codec.rdma.ConnectRequestData;
import io.nvmf.codec.rdma.RejectData;
import io.nvmf.codec.rdma.RejectReason;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Locale;

/** What goes over an RDMA connection as a person reads it, one line each. */
final class RdmaText {
    private RdmaText() {}

    static String request(byte[] privateData, int reads) {
        if (privateData.length < ConnectRequestData.BYTES) {
            return "RDMA_CM_REQUEST with " + privateData.length + " bytes, " + reads + " READs";
        }
        ConnectRequestData data = ConnectRequestData.decode(littleEndian(privateData), 0);
        return format(
                "RDMA_CM_REQUEST RECFMT %d QID %d HRQSIZE %d HSQSIZE %d CNTLID %d, %d READs",
                data.recordFormat(),
                data.queueId(),
                data.receiveQueueEntries(),
                data.sendQueueSizeZeroBased(),
                data.controllerId(),
                reads);
    }

    static String of(CmAnswer answer) {
        return switch (answer.kind()) {
            case ACCEPTED -> "RDMA_CM_ACCEPT " + accepted(answer.accepted());
            case REJECTED -> "RDMA_CM_REJECT " + rejected(answer.rejected());
            case FAILED -> "no connection: " + answer.why();
            case SILENCE -> "no answer in time";
        };
    }

    private static String accepted(AcceptData data) {
        return data == null
                ? "with what is not known here"
                : format("RECFMT %d CRQSIZE %d", data.recordFormat(), data.receiveQueueEntries());
    }

    private static String rejected(RejectData data) {
        return data == null
                ? "with what is not known here"
                : format(
                        "RECFMT %d STS %d (%s)",
                        data.recordFormat(), data.status(), RejectReason.describe(data.status()));
    }

    /** Any bytes that a host sends as a capsule. */
    static String capsule(byte[] bytes) {
        if (bytes.length < Sqe.BYTES) {
            return bytes.length + " bytes, too few for a capsule";
        }
        String entry = PduText.of(new Sqe().wrap(littleEndian(bytes), 0));
        return "capsule " + entry + (bytes.length == Sqe.BYTES ? "" : " + " + (bytes.length - Sqe.BYTES) + " bytes");
    }

    static String message(RawMessage message) {
        byte[] whole = Arrays.copyOf(message.bytes(), Math.max(message.bytes().length, Cqe.BYTES));
        String length = message.bytes().length == Cqe.BYTES ? "" : " in " + message.bytes().length + " bytes";
        String key = message.invalidates() ? format(", invalidates key %08Xh", message.invalidatedKey()) : "";
        return "response " + PduText.of(new Cqe().wrap(littleEndian(whole), 0)) + length + key;
    }

    private static ByteBuffer littleEndian(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static String format(String form, Object... values) {
        return String.format(Locale.ROOT, form, values);
    }
}
