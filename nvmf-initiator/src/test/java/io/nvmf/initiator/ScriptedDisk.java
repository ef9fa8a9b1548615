package io.nvmf.initiator;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * What the controller of a scripted target says of itself and its one namespace, whatever its transport; bytes made by
 * hand. Settings are made before the host connects.
 */
abstract class ScriptedDisk {
    static final String NQN = "nqn.2024-01.com.example:disk1";
    static final int CONTROLLER_ID = 0x0102;
    static final int MEDIUM_BYTES = 8 << 20;

    int blockShift = 9;
    int ioccsz = 4 + 8192 / 16;
    int icdoff;
    int msdbd = 1;
    int sgls = 1 | 1 << 20 | 1 << 21;
    int mdts;
    int maxCommands = 128;
    int grantedQueues = 64;
    int keepAliveGranularity = 1;

    /** First byte of the namespace's UUID; 0 = it has no identifier. */
    int uuid;

    volatile int configuration;

    int configuration() {
        return configuration;
    }

    long property(int offset) {
        return switch (offset) {
            case 0x00 -> 1023L | 1 << 16 | 2 << 24 | 1L << 37;
            case 0x08 -> 0x0002_0000;
            case 0x14 -> configuration;
            case 0x1C -> (configuration & 1) | ((configuration >> 14 & 3) != 0 ? 2 << 2 : 0);
            default -> throw new IllegalArgumentException("unexpected property " + offset);
        };
    }

    byte[] identify(int cns, int nsid) {
        ByteBuffer data = ByteBuffer.allocate(4096).order(ByteOrder.LITTLE_ENDIAN);
        if (cns == 0x01) {
            data.put(77, (byte) mdts).putShort(78, (short) CONTROLLER_ID).putInt(80, 0x0002_0000);
            data.put(111, (byte) 1).putShort(320, (short) keepAliveGranularity);
            data.putInt(92, 1 << 8).put(512, (byte) 0x66).put(513, (byte) 0x44);
            data.putShort(514, (short) maxCommands).putInt(516, 1).putInt(536, sgls);
            data.put(768, NQN.getBytes(StandardCharsets.UTF_8));
            data.putInt(1792, ioccsz)
                    .putInt(1796, 1)
                    .putShort(1800, (short) icdoff)
                    .put(1803, (byte) msdbd);
        } else if (cns == 0x00 && nsid == 1) {
            long blocks = MEDIUM_BYTES >> blockShift;
            data.putLong(0, blocks).putLong(8, blocks).putLong(16, blocks).put(130, (byte) blockShift);
        } else if (cns == 0x03 && uuid != 0) {
            data.put(0, (byte) 3).put(1, (byte) 16).put(4, (byte) uuid);
        } else if (cns == 0x02 && nsid == 0) {
            data.putInt(0, 1);
        }
        return data.array();
    }
}
