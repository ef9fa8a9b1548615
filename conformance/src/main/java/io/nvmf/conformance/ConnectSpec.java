package io.nvmf.conformance;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.fabrics.ConnectCommand;
import io.nvmf.codec.fabrics.ConnectData;
import io.nvmf.initiator.raw.Payload;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;

/** A Connect command and its data, first as they must be, then with whatever is to be different. */
public final class ConnectSpec {
    private final Sqe sqe = Sqe.allocate();
    private final ByteBuffer data = Bytes.allocate(ConnectData.BYTES);

    /** Connect of an admin queue of {@link Association#DEPTH} entries, without a keep alive timeout. */
    ConnectSpec(TargetUnderTest target, String subsystemNqn) {
        ConnectCommand.encode(sqe, 0, Association.DEPTH - 1, 0, 0);
        new ConnectData(target.hostId(), ConnectData.CONTROLLER_ID_DYNAMIC, subsystemNqn, target.hostNqn())
                .encode(data, 0);
    }

    private ConnectSpec(ConnectSpec other) {
        sqe.buffer().put(0, other.sqe.buffer(), 0, Sqe.BYTES);
        data.put(0, other.data, 0, ConnectData.BYTES);
    }

    /** The same for another queue: a copy. */
    ConnectSpec ofQueue(int queueId) {
        return new ConnectSpec(this).queueId(queueId).keepAliveTimeoutMs(0);
    }

    /** RECFMT. */
    public ConnectSpec recordFormat(int recordFormat) {
        return u16(ConnectCommand.RECORD_FORMAT_OFFSET, recordFormat);
    }

    /** QID. */
    public ConnectSpec queueId(int queueId) {
        return u16(ConnectCommand.QUEUE_ID_OFFSET, queueId);
    }

    /** SQSIZE. */
    public ConnectSpec sqSizeZeroBased(int sqSizeZeroBased) {
        return u16(ConnectCommand.SQ_SIZE_OFFSET, sqSizeZeroBased);
    }

    /** CATTR. */
    public ConnectSpec attributes(int attributes) {
        sqe.buffer().put(ConnectCommand.ATTRIBUTES_OFFSET, (byte) attributes);
        return this;
    }

    /** KATO. */
    public ConnectSpec keepAliveTimeoutMs(long keepAliveTimeoutMs) {
        sqe.buffer().putInt(ConnectCommand.KATO_OFFSET, (int) keepAliveTimeoutMs);
        return this;
    }

    /** CNTLID. */
    public ConnectSpec controllerId(int controllerId) {
        data.putShort(ConnectData.CONTROLLER_ID_OFFSET, (short) controllerId);
        return this;
    }

    /** HOSTID. */
    public ConnectSpec hostId(UUID hostId) {
        Bytes.putI64BigEndian(data, ConnectData.HOST_ID_OFFSET, hostId.getMostSignificantBits());
        Bytes.putI64BigEndian(data, ConnectData.HOST_ID_OFFSET + 8, hostId.getLeastSignificantBits());
        return this;
    }

    /** SUBNQN, its whole field, whether it ends or not. */
    public ConnectSpec subsystemNqn(byte... nqn) {
        data.put(ConnectData.SUBSYSTEM_NQN_OFFSET, Arrays.copyOf(nqn, ConnectData.NQN_BYTES));
        return this;
    }

    /** SUBNQN. */
    public ConnectSpec subsystemNqn(String nqn) {
        return subsystemNqn(nqn.getBytes(StandardCharsets.UTF_8));
    }

    /** HOSTNQN, its whole field, whether it ends or not. */
    public ConnectSpec hostNqn(byte... nqn) {
        data.put(ConnectData.HOST_NQN_OFFSET, Arrays.copyOf(nqn, ConnectData.NQN_BYTES));
        return this;
    }

    /** HOSTNQN. */
    public ConnectSpec hostNqn(String nqn) {
        return hostNqn(nqn.getBytes(StandardCharsets.UTF_8));
    }

    private ConnectSpec u16(int offset, int value) {
        sqe.buffer().putShort(offset, (short) value);
        return this;
    }

    /** The entry, to be changed. */
    public Sqe sqe() {
        return sqe;
    }

    /** The data in the capsule. */
    public Payload payload() {
        return Payload.inCapsule(data.array().clone());
    }

    /** SQSIZE + 1. */
    int depth() {
        return ConnectCommand.sqSizeZeroBased(sqe) + 1;
    }

    boolean usesFlowControl() {
        return (ConnectCommand.attributes(sqe) & ConnectCommand.DISABLE_SQ_FLOW_CONTROL) == 0;
    }
}
