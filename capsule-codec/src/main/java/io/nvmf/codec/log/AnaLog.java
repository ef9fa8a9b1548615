package io.nvmf.codec.log;

import io.nvmf.codec.Bytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The Asymmetric Namespace Access log, LID 0Ch (NVMe Base 2.0 s5.16.1.13).
 *
 * <pre>
 * header, 16 bytes:      0 change count(8)   8 number of groups(2)
 * group, 32 + 4n bytes:  0 ANAGRPID(4)   4 n, number of NSIDs(4)   8 change count(8)   16 state (3:0)   32 NSIDs, ascending
 * </pre>
 *
 * @param changeCount of the whole log
 * @param groups in ascending order of their ids
 */
public record AnaLog(long changeCount, List<Group> groups) {
    /** LSP bit 0: groups without their namespace ids are wanted. */
    public static final int LSP_GROUPS_ONLY = 1;

    public static final int STATE_OPTIMIZED = 0x1;
    public static final int STATE_NON_OPTIMIZED = 0x2;
    public static final int STATE_INACCESSIBLE = 0x3;
    public static final int STATE_PERSISTENT_LOSS = 0x4;
    public static final int STATE_CHANGE = 0xF;

    private static final int HEADER_BYTES = 16;
    private static final int GROUP_HEADER_BYTES = 32;

    /**
     * One ANA group.
     *
     * @param nsids the list itself, not a copy; ascending
     */
    public record Group(long id, int state, long changeCount, long[] nsids) {
        int lengthBytes() {
            return GROUP_HEADER_BYTES + 4 * nsids.length;
        }
    }

    public AnaLog {
        groups = List.copyOf(groups);
    }

    public int lengthBytes() {
        return HEADER_BYTES + groups.stream().mapToInt(Group::lengthBytes).sum();
    }

    /** The length of a log with so many groups, and so many namespaces in all of them. */
    public static int lengthBytes(int groups, int namespaces) {
        return HEADER_BYTES + GROUP_HEADER_BYTES * groups + 4 * namespaces;
    }

    /** Writes {@link #lengthBytes} bytes. */
    public void encode(ByteBuffer target, int offset) {
        Bytes.zero(Bytes.requireRange(target, offset, lengthBytes()), offset, lengthBytes());
        target.putLong(offset, changeCount);
        target.putShort(offset + 8, (short) groups.size());
        int at = offset + HEADER_BYTES;
        for (Group group : groups) {
            target.putInt(at, (int) group.id());
            target.putInt(at + 4, group.nsids().length);
            target.putLong(at + 8, group.changeCount());
            target.put(at + 16, (byte) (group.state() & 0xF));
            for (int i = 0; i < group.nsids().length; i++) {
                target.putInt(at + GROUP_HEADER_BYTES + 4 * i, (int) group.nsids()[i]);
            }
            at += group.lengthBytes();
        }
    }

    /**
     * Reads a log.
     *
     * @param lengthBytes how much of it was received
     * @throws IllegalArgumentException when its groups need more bytes than that
     */
    public static AnaLog decode(ByteBuffer source, int offset, int lengthBytes) {
        Bytes.requireRange(source, offset, lengthBytes);
        int end = offset + lengthBytes;
        requireInside(offset + HEADER_BYTES, end);
        int count = Bytes.u16(source, offset + 8);
        List<Group> groups = new ArrayList<>();
        long at = offset + HEADER_BYTES;
        for (int i = 0; i < count; i++) {
            requireInside(at + GROUP_HEADER_BYTES, end);
            int group = (int) at;
            long nsidCount = Bytes.u32(source, group + 4);
            at += GROUP_HEADER_BYTES + 4 * nsidCount;
            requireInside(at, end);
            long[] nsids = new long[(int) nsidCount];
            for (int n = 0; n < nsids.length; n++) {
                nsids[n] = Bytes.u32(source, group + GROUP_HEADER_BYTES + 4 * n);
            }
            groups.add(new Group(
                    Bytes.u32(source, group), source.get(group + 16) & 0xF, source.getLong(group + 8), nsids));
        }
        return new AnaLog(source.getLong(offset), groups);
    }

    private static void requireInside(long needed, int end) {
        if (needed > end) {
            throw new IllegalArgumentException("the ANA log ends " + (needed - end) + " bytes inside a group");
        }
    }
}
