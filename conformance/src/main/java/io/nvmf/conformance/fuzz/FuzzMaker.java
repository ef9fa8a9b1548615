package io.nvmf.conformance.fuzz;

import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.tcp.Capsule;
import io.nvmf.codec.tcp.PduFormat;
import io.nvmf.codec.tcp.PduHeader;
import io.nvmf.codec.tcp.PduType.Direction;
import io.nvmf.conformance.ConnectSpec;
import io.nvmf.initiator.raw.PduBuilder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Makes the cases of a run: the same seed, kind and number make the same case for the same target. */
public final class FuzzMaker {
    private static final int COMMANDS_A_CASE = 8;
    private static final int[] TYPES = {
        0x00, 0x02, 0x04, 0x04, 0x04, 0x06, 0x06, 0x01, 0x03, 0x05, 0x07, 0x08, 0x09, 0x0A, 0xFF
    };

    private final FuzzKind kind;
    private final long seed;
    private final long nsid;
    private final long blocks;
    private final long firstFree;
    private final ConnectSpec connect;

    /**
     * @param nsid the only namespace that is written
     * @param firstFree its blocks before this one are never written
     * @param connect a Connect that the target takes, to be spoilt
     */
    public FuzzMaker(FuzzKind kind, long seed, long nsid, long blocks, long firstFree, ConnectSpec connect) {
        this.kind = kind;
        this.seed = seed;
        this.nsid = nsid;
        this.blocks = blocks;
        this.firstFree = firstFree;
        this.connect = connect;
    }

    /** Case {@code number}, from 0. */
    public FuzzCase make(int number) {
        SplittableRandom random = new SplittableRandom(seed * 1_000_003 + kind.ordinal() * 10_007L + number);
        List<byte[]> pdus = switch (kind) {
            case PDU_HEADERS, PDU_HEADERS_OF_IO -> headers(random);
            case MUTATIONS -> mutation(random);
            default -> commands(random);
        };
        return new FuzzCase(kind, seed, number, pdus);
    }

    private List<byte[]> commands(SplittableRandom random) {
        CommandMaker commands = new CommandMaker(random, nsid, blocks, firstFree);
        List<byte[]> pdus = new ArrayList<>();
        int count = kind == FuzzKind.COMMANDS_BEFORE_CONNECT ? 1 : COMMANDS_A_CASE;
        for (int i = 0; i < count; i++) {
            pdus.add(commands.capsule(kind, 0x4000 + i));
        }
        return pdus;
    }

    /** One to four PDUs of any type whose headers are random where it counts; a whole ICReq may come first. */
    private List<byte[]> headers(SplittableRandom random) {
        List<byte[]> pdus = new ArrayList<>();
        if (kind == FuzzKind.PDU_HEADERS && random.nextBoolean()) {
            pdus.add(PduBuilder.icReq().build().bytes());
        }
        int count = 1 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            byte[] pdu = new byte[PduHeader.BYTES + random.nextInt(200)];
            random.nextBytes(pdu);
            pdu[PduHeader.TYPE_OFFSET] = (byte) TYPES[random.nextInt(TYPES.length)];
            pdu[PduHeader.FLAGS_OFFSET] = (byte) (random.nextInt(3) == 0 ? random.nextInt(256) : 0);
            int[] lengths = {24, 72, 128, pdu.length};
            pdu[PduHeader.HLEN_OFFSET] =
                    (byte) (random.nextInt(3) == 0 ? random.nextInt(256) : lengths[random.nextInt(4)]);
            pdu[PduHeader.PDO_OFFSET] = (byte) (random.nextBoolean() ? 0 : random.nextInt(256));
            if (random.nextInt(3) != 0) {
                putPduLength(pdu, pdu.length);
            } else if (random.nextBoolean()) {
                putPduLength(pdu, random.nextInt(4096));
            }
            pdus.add(pdu);
        }
        return pdus;
    }

    private static void putPduLength(byte[] pdu, int length) {
        for (int i = 0; i < 4; i++) {
            pdu[PduHeader.PLEN_OFFSET + i] = (byte) (length >>> 8 * i);
        }
    }

    private List<byte[]> mutation(SplittableRandom random) {
        PduFormat format = PduFormat.initial(Direction.H2C);
        Sqe sqe = Sqe.allocate();
        sqe.buffer().put(0, connect.sqe().buffer(), 0, Sqe.BYTES);
        byte[] data = connect.payload().out();
        sqe.sgl1().set(SglDescriptor.IN_CAPSULE, 0, data.length);
        sqe.commandId(1);
        CommandMaker commands = new CommandMaker(random, nsid, blocks, firstFree);
        List<byte[]> pdus = new ArrayList<>(List.of(
                PduBuilder.icReq().build().bytes(),
                PduBuilder.capsule(format, sqe, data).build().bytes(),
                commands.capsule(FuzzKind.FABRICS_COMMANDS, 2),
                commands.capsule(FuzzKind.ADMIN_COMMANDS, 3)));
        int changes = 1 + random.nextInt(4);
        for (int i = 0; i < changes; i++) {
            int at = random.nextInt(pdus.size());
            byte[] pdu = pdus.get(at);
            switch (random.nextInt(8)) {
                case 0 -> pdus.add(at, pdu);
                case 1 -> pdus.set(at, Arrays.copyOf(pdu, random.nextInt(pdu.length)));
                case 2 -> pdus.set(at, Arrays.copyOf(pdu, pdu.length + random.nextInt(64)));
                default -> flip(pdu, random);
            }
        }
        return pdus;
    }

    private static void flip(byte[] pdu, SplittableRandom random) {
        if (pdu.length > 0) {
            int at = random.nextInt(random.nextBoolean() ? pdu.length : Math.min(pdu.length, 72));
            // No opcode becomes one that was left out.
            at = at == Capsule.ENTRY_OFFSET ? at - 1 : at;
            pdu[at] ^= (byte) (1 << random.nextInt(8));
        }
    }
}
