package io.nvmf.codec.fabrics;

import io.nvmf.codec.Bytes;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * The data of a Connect command (NVMe-oF 1.1 s3.3.1): 0-15 HOSTID, 16-17 CNTLID, 256-511 SUBNQN, 512-767 HOSTNQN.
 *
 * @param hostId the 16 bytes of HOSTID as a UUID in its usual, big-endian byte order
 * @param controllerId the controller asked for, or {@link #CONTROLLER_ID_DYNAMIC}
 * @param subsystemNqn at most 223 bytes of UTF-8
 * @param hostNqn at most 223 bytes of UTF-8
 */
public record ConnectData(UUID hostId, int controllerId, String subsystemNqn, String hostNqn) {
    public static final int BYTES = 1024;
    public static final int HOST_ID_OFFSET = 0;
    public static final int CONTROLLER_ID_OFFSET = 16;
    public static final int SUBSYSTEM_NQN_OFFSET = 256;
    public static final int HOST_NQN_OFFSET = 512;
    public static final int NQN_BYTES = 256;

    /** CNTLID of an admin Connect under the dynamic controller model. */
    public static final int CONTROLLER_ID_DYNAMIC = 0xFFFF;

    /** Writes all 1024 bytes. */
    public void encode(ByteBuffer buffer, int offset) {
        Bytes.requireLittleEndian(buffer);
        Bytes.zero(buffer, offset, BYTES);
        buffer.putLong(offset, Long.reverseBytes(hostId.getMostSignificantBits()));
        buffer.putLong(offset + 8, Long.reverseBytes(hostId.getLeastSignificantBits()));
        buffer.putShort(offset + CONTROLLER_ID_OFFSET, (short) controllerId);
        Bytes.putUtf8(buffer, offset + SUBSYSTEM_NQN_OFFSET, NQN_BYTES, subsystemNqn);
        Bytes.putUtf8(buffer, offset + HOST_NQN_OFFSET, NQN_BYTES, hostNqn);
    }

    /** Reads the record; see {@link #isTerminated} for what it cannot tell. */
    public static ConnectData decode(ByteBuffer buffer, int offset) {
        Bytes.requireLittleEndian(buffer);
        UUID hostId =
                new UUID(Long.reverseBytes(buffer.getLong(offset)), Long.reverseBytes(buffer.getLong(offset + 8)));
        return new ConnectData(
                hostId,
                Bytes.u16(buffer, offset + CONTROLLER_ID_OFFSET),
                Bytes.getUtf8(buffer, offset + SUBSYSTEM_NQN_OFFSET, NQN_BYTES),
                Bytes.getUtf8(buffer, offset + HOST_NQN_OFFSET, NQN_BYTES));
    }

    /** Whether the NQN field at {@code fieldOffset} ends with a NUL, as it must. */
    public static boolean isTerminated(ByteBuffer buffer, int offset, int fieldOffset) {
        return Bytes.isTerminated(buffer, offset + fieldOffset, NQN_BYTES);
    }
}
