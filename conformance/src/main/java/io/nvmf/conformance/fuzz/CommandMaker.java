package io.nvmf.conformance.fuzz;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.fabrics.FabricsType;
import io.nvmf.codec.tcp.PduFormat;
import io.nvmf.codec.tcp.PduType.Direction;
import io.nvmf.initiator.raw.PduBuilder;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Random commands: most fields take a value that is likely to be near a border, some take any. What would change more than
 * the namespace under test, or for longer than the run, is left out.
 */
final class CommandMaker {
    /** Those that change firmware, namespaces, media or what others may do. */
    private static final Set<Integer> ADMIN_LEFT_OUT = Set.of(
            Opcode.Admin.NAMESPACE_MANAGEMENT,
            Opcode.Admin.FIRMWARE_COMMIT,
            Opcode.Admin.FIRMWARE_IMAGE_DOWNLOAD,
            Opcode.Admin.DEVICE_SELF_TEST,
            Opcode.Admin.NAMESPACE_ATTACHMENT,
            Opcode.Admin.LOCKDOWN,
            Opcode.Admin.FORMAT_NVM,
            Opcode.Admin.SECURITY_SEND,
            Opcode.Admin.SANITIZE,
            // Answered only when something happens.
            Opcode.Admin.ASYNC_EVENT_REQUEST,
            // Capacity management, zoning of the fabric.
            0x1C,
            0x20,
            0x22,
            0x25,
            0x29);

    /** Reservations outlive the run, and so do blocks that cannot be read, at which the checks of the next run would fail. */
    private static final Set<Integer> IO_LEFT_OUT = Set.of(
            Opcode.Nvm.WRITE_UNCORRECTABLE,
            Opcode.Nvm.RESERVATION_REGISTER,
            Opcode.Nvm.RESERVATION_ACQUIRE,
            Opcode.Nvm.RESERVATION_RELEASE);

    /** Write protection, and whether reservations outlive a loss of power. */
    private static final Set<Integer> FEATURES_LEFT_OUT = Set.of(0x83, 0x84);

    private static final int[] ADMIN = {0x02, 0x06, 0x08, 0x09, 0x0A, 0x18, 0x7F};
    private static final int[] IO = {0x00, 0x01, 0x02, 0x05, 0x08, 0x09, 0x0C, 0x0E, 0x19};
    private static final int[] FABRICS = {
        FabricsType.PROPERTY_SET, FabricsType.CONNECT, FabricsType.PROPERTY_GET, 0x05, 0x06, 0x08
    };
    private static final int[] SGL_IDENTIFIERS = {
        SglDescriptor.IN_CAPSULE,
        SglDescriptor.TRANSPORT_DATA_BLOCK,
        SglDescriptor.KEYED,
        SglDescriptor.KEYED_INVALIDATE,
        SglDescriptor.LAST_SEGMENT_IN_CAPSULE,
        0x00,
        0x10,
        0x20,
        0x30,
        0xF0
    };
    private static final long[] LENGTHS = {
        0,
        1,
        4,
        16,
        511,
        512,
        513,
        1024,
        4095,
        4096,
        4097,
        8192,
        8193,
        65536,
        1 << 20,
        (1 << 20) + 512,
        0xFF_FFFFL,
        0x7FFF_FFFFL,
        0x8000_0000L,
        0xFFFF_FE00L,
        0xFFFF_FFFFL
    };

    private final SplittableRandom random;
    private final long nsid;
    private final long blocks;
    private final long firstFree;

    /** @param firstFree blocks before this one are never written */
    CommandMaker(SplittableRandom random, long nsid, long blocks, long firstFree) {
        this.random = random;
        this.nsid = nsid;
        this.blocks = blocks;
        this.firstFree = firstFree;
    }

    /** A capsule under this CID. */
    byte[] capsule(FuzzKind kind, int commandId) {
        Sqe sqe = switch (kind) {
            case ADMIN_COMMANDS -> admin();
            case IO_COMMANDS -> io();
            case FABRICS_COMMANDS -> fabrics();
            default -> random.nextInt(3) == 0 ? fabrics() : random.nextBoolean() ? admin() : io();
        };
        byte[] data = new byte[0];
        if (random.nextInt(3) == 0) {
            data = new byte[4 * (1 + random.nextInt(random.nextBoolean() ? 16 : 1024))];
            random.nextBytes(data);
        }
        sgl(sqe, data.length);
        sqe.commandId(commandId);
        return PduBuilder.capsule(PduFormat.initial(Direction.H2C), sqe, data)
                .build()
                .bytes();
    }

    private void sgl(Sqe sqe, int capsuleBytes) {
        if (capsuleBytes > 0 && random.nextInt(4) != 0) {
            sqe.sgl1().set(SglDescriptor.IN_CAPSULE, 0, capsuleBytes);
            return;
        }
        int identifier = random.nextInt(3) != 0 ? SglDescriptor.TRANSPORT_DATA_BLOCK : oneOf(SGL_IDENTIFIERS);
        long address = random.nextInt(4) == 0 ? random.nextLong() : 0;
        sqe.sgl1().set(identifier, address, LENGTHS[random.nextInt(LENGTHS.length)]);
    }

    private Sqe admin() {
        int opcode;
        do {
            opcode = random.nextInt(4) == 0 ? random.nextInt(256) : oneOf(ADMIN);
        } while (ADMIN_LEFT_OUT.contains(opcode));
        Sqe sqe = filled(opcode);
        if (opcode == Opcode.Admin.SET_FEATURES) {
            int feature;
            do {
                feature = random.nextInt(256);
            } while (FEATURES_LEFT_OUT.contains(feature));
            sqe.cdw(10, sqe.cdw(10) & ~0xFFL | feature);
        }
        return sqe;
    }

    private Sqe io() {
        int opcode;
        do {
            opcode = random.nextInt(4) == 0 ? random.nextInt(256) : oneOf(IO);
        } while (IO_LEFT_OUT.contains(opcode));
        Sqe sqe = filled(opcode);
        // Also of opcodes that this program does not know: whatever they change lies behind what is to stay.
        long start =
                random.nextInt(4) == 0 ? blocks - random.nextInt(16) : firstFree + random.nextLong(blocks - firstFree);
        sqe.cdwPair(10, random.nextInt(8) == 0 ? random.nextLong() | 1L << 62 : start);
        if (random.nextInt(4) != 0) {
            sqe.cdw(12, random.nextInt(32));
        }
        return sqe;
    }

    private Sqe fabrics() {
        Sqe sqe = filled(Opcode.FABRICS);
        sqe.buffer().put(sqe.offset() + Sqe.FABRICS_TYPE_OFFSET, (byte)
                (random.nextInt(4) == 0 ? random.nextInt(256) : oneOf(FABRICS)));
        if (random.nextBoolean()) {
            sqe.cdw(10, random.nextInt(4)).cdw(11, random.nextInt(32) * 4L);
        }
        return sqe;
    }

    private Sqe filled(int opcode) {
        Sqe sqe = Sqe.allocate().clear(opcode);
        sqe.nsid(
                switch (random.nextInt(6)) {
                    case 0 -> 0;
                    case 1 -> Sqe.NSID_ALL;
                    // Out of reach of what any target has, so that no other namespace is met.
                    case 2 -> 0xFFFF_FF00L | random.nextInt(255);
                    default -> nsid;
                });
        for (int dword = 10; dword <= 15; dword++) {
            sqe.cdw(
                    dword,
                    switch (random.nextInt(4)) {
                        case 0 -> random.nextInt();
                        case 1 -> 1L << random.nextInt(32);
                        default -> random.nextInt(64);
                    });
        }
        if (random.nextInt(8) == 0) {
            sqe.buffer().put(sqe.offset() + Sqe.FLAGS_OFFSET, (byte) random.nextInt(256));
        }
        return sqe;
    }

    private int oneOf(int... values) {
        return values[random.nextInt(values.length)];
    }
}
