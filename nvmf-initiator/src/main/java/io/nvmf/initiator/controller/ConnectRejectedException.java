package io.nvmf.initiator.controller;

import io.nvmf.codec.Status;
import io.nvmf.codec.StatusNames;
import io.nvmf.codec.fabrics.ConnectCommand;
import io.nvmf.codec.fabrics.ConnectData;
import io.nvmf.codec.fabrics.ConnectResponse;
import io.nvmf.initiator.queue.NvmeStatusException;
import java.util.Map;

/** A Connect command was answered with an error (NVMe-oF 1.1 s3.3.2); the message names the field it points at. */
public final class ConnectRejectedException extends NvmeStatusException {
    private static final Map<Integer, String> COMMAND_FIELDS = Map.of(
            ConnectCommand.RECORD_FORMAT_OFFSET, "RECFMT",
            ConnectCommand.QUEUE_ID_OFFSET, "QID",
            ConnectCommand.SQ_SIZE_OFFSET, "SQSIZE",
            ConnectCommand.ATTRIBUTES_OFFSET, "CATTR",
            ConnectCommand.KATO_OFFSET, "KATO");
    private static final Map<Integer, String> DATA_FIELDS = Map.of(
            ConnectData.HOST_ID_OFFSET, "HOSTID",
            ConnectData.CONTROLLER_ID_OFFSET, "CNTLID",
            ConnectData.SUBSYSTEM_NQN_OFFSET, "SUBNQN",
            ConnectData.HOST_NQN_OFFSET, "HOSTNQN");

    private final String field;

    ConnectRejectedException(String queue, int status, long dw0) {
        this(queue, status, fieldOf(status, dw0));
    }

    private ConnectRejectedException(String queue, int status, String field) {
        super(
                queue + " refuses to connect: " + StatusNames.describe(status, StatusNames.Kind.FABRICS)
                        + (field == null ? "" : ", pointing at " + field),
                status);
        this.field = field;
    }

    private static String fieldOf(int status, long dw0) {
        if (Status.withoutFlags(status) != Status.CONNECT_INVALID_PARAMETERS) {
            return null;
        }
        int offset = ConnectResponse.invalidOffset(dw0);
        boolean inData = ConnectResponse.isInData(dw0);
        String name = (inData ? DATA_FIELDS : COMMAND_FIELDS).get(offset);
        return name != null ? name : "byte " + offset + " of the " + (inData ? "data" : "command");
    }

    /** The name of the field the answer points at, or null when it points at none. */
    public String field() {
        return field;
    }
}
