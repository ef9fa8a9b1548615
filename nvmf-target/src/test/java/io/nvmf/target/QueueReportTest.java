package io.nvmf.target;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.log.TransportType;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.target.queue.DataCounts;
import io.nvmf.target.queue.QueueReport;
import io.nvmf.target.queue.SubsystemReport;
import java.io.IOException;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** How data has travelled over TCP, in figures. */
class QueueReportTest extends TargetTestBase {
    private static Sqe command(int opcode, int bytes) {
        return ReadWriteCommand.encode(Sqe.allocate(), opcode, 1, 0, bytes / 512);
    }

    @Test
    void shouldCountWhatTravelsInCapsulesIsFetchedAndIsSent() throws IOException {
        start();
        try (RawHost admin = open();
                RawHost io = open()) {
            int controllerId = admin.connectAdmin(NQN, 0);
            admin.enable();
            io.initialize(0, 0);
            io.connectIo(controllerId, 1, 31, NQN);
            Sqe write = command(1, 4096);
            write.sgl1().set(SglDescriptor.IN_CAPSULE, 0, 4096);
            io.execute(write, new byte[4096]);
            io.execute(write, new byte[4096]);
            io.executeWrite(command(1, 65536), new byte[65536], 4096);
            io.executeRead(command(2, 512 * 1024), 512 * 1024);

            assertEquals(2, target.queues().size());
            QueueReport report = target.queues().get(1);
            assertEquals(TransportType.TCP, report.transport());
            assertEquals(NQN, report.subsystemNqn());
            assertEquals(controllerId, report.controllerId());
            assertEquals(1, report.queueId());
            DataCounts expected = new DataCounts(2, 8192, 1, 65536, 1, 1, 512 * 1024, 4);
            assertEquals(expected, report.data(), "two writes without Connect, C2HData of 128 KiB");
            assertEquals(
                    new SubsystemReport(TransportType.TCP, NQN, 2, 0, expected),
                    target.traffic().get(0));
            assertTrue(report.toString().startsWith("queue 1 of controller " + controllerId + " (tcp): "));
        }
        Awaitility.await().until(() -> target.queues().isEmpty());
        Awaitility.await().until(() -> target.traffic().get(0).endedQueues() == 2);
        assertEquals(
                List.of(new SubsystemReport(
                        TransportType.TCP, NQN, 0, 2, new DataCounts(2, 8192, 1, 65536, 1, 1, 512 * 1024, 4))),
                target.traffic(),
                "what has ended counts on");
    }
}
