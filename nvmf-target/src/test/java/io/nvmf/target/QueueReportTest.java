package io.nvmf.target;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.log.TransportType;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.target.queue.QueueReport;
import java.io.IOException;
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
            assertEquals(3, report.inCapsuleCommands(), "Connect and two writes");
            assertEquals(1024 + 8192, report.inCapsuleBytes());
            assertEquals(1, report.fetchedCommands());
            assertEquals(65536, report.fetchedBytes());
            assertEquals(1, report.fetchRequests());
            assertEquals(1, report.sentCommands());
            assertEquals(512 * 1024, report.sentBytes());
            assertEquals(4, report.sendRequests(), "C2HData of 128 KiB");
            assertTrue(report.toString().startsWith("queue 1 of controller " + controllerId + " (tcp): "));
        }
        Awaitility.await().until(() -> target.queues().isEmpty());
    }
}
