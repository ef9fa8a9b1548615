package io.nvmf.it.speed;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Cqe;
import io.nvmf.codec.Opcode;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.codec.tcp.DataPdu;
import io.nvmf.codec.tcp.PduException;
import io.nvmf.codec.tcp.PduFormat;
import io.nvmf.codec.tcp.PduHeader;
import io.nvmf.codec.tcp.PduType;
import java.nio.ByteBuffer;
import org.openjdk.jmh.annotations.Benchmark;

/** Entries and headers, written and read. */
public class CodecBenchmark extends LoopBenchmark {
    private static final int DATA_BYTES = 4096;

    private final Sqe sqe = Sqe.allocate();
    private final Cqe cqe = Cqe.allocate();
    private final ByteBuffer header = Bytes.allocate(PduHeader.MAX_BYTES);
    private final PduFormat format = PduFormat.initial(PduType.Direction.C2H);
    private int commandId;

    public CodecBenchmark() {
        encodeSqe();
        encodeCqe();
        encodeC2HData();
    }

    @Benchmark
    public final Sqe encodeSqe() {
        ReadWriteCommand.encode(sqe, Opcode.Nvm.READ, 1, commandId, 8).commandId(commandId++);
        sqe.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, DATA_BYTES);
        return sqe;
    }

    @Benchmark
    public long decodeSqe() {
        SglDescriptor sgl = sqe.sgl1();
        return sqe.opcode()
                + sqe.psdt()
                + sqe.commandId()
                + sqe.nsid()
                + ReadWriteCommand.startBlock(sqe)
                + ReadWriteCommand.blockCount(sqe)
                + sgl.identifier()
                + sgl.lengthBytes();
    }

    @Benchmark
    public final Cqe encodeCqe() {
        return cqe.set(0, 7, commandId++, 0);
    }

    @Benchmark
    public long decodeCqe() {
        return cqe.result() + cqe.sqhd() + cqe.commandId() + cqe.status();
    }

    @Benchmark
    public final ByteBuffer encodeC2HData() {
        DataPdu.encodeC2H(header, format, commandId++, 0, DATA_BYTES, PduHeader.LAST_PDU | PduHeader.SUCCESS);
        return header;
    }

    @Benchmark
    public long decodeC2HData() throws PduException {
        PduType type = format.check(header);
        return format.dataLength(header, type)
                + DataPdu.commandId(header)
                + DataPdu.offsetBytes(header)
                + DataPdu.lengthBytes(header);
    }
}
