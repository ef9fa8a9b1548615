package io.nvmf.conformance.suite;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.CheckFailure;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.Suite;
import io.nvmf.conformance.SuiteName;
import io.nvmf.conformance.fuzz.FuzzCase;
import io.nvmf.conformance.fuzz.FuzzKind;
import io.nvmf.conformance.fuzz.FuzzMaker;
import io.nvmf.conformance.fuzz.FuzzPlayer;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import java.io.IOException;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Random cases from the seed. Whatever they do, a new connection works afterwards and what was written before is there. */
@SuiteName(value = "STRESS.FUZZ", over = SuiteName.Over.TCP, alone = true)
public final class FuzzSuite extends Suite {
    /** At the start of the namespace, written before and read after the cases. */
    private static final int GUARDED_BYTES = 32 << 10;

    private static final int CASES_BETWEEN_LOOKS = 50;

    @Check(
            says = "300 times 8 random commands on the admin queue: each is completed, or the connection ended",
            source = "NVMe Base 2.0 s3.3.3.2: no command without a completion",
            level = Level.ROBUST,
            needs = {Needs.DATA_LOSS, Needs.DISRUPTION})
    void adminCommands() throws IOException {
        fuzz(FuzzKind.ADMIN_COMMANDS, 300);
    }

    @Check(
            says = "300 times 8 random commands on an I/O queue: each is completed, or the connection ended",
            source = "NVMe Base 2.0 s3.3.3.2: no command without a completion",
            level = Level.ROBUST,
            needs = {Needs.DATA_LOSS, Needs.DISRUPTION})
    void ioCommands() throws IOException {
        fuzz(FuzzKind.IO_COMMANDS, 300);
    }

    @Check(
            says = "300 times 8 random fabrics commands on the admin queue: each is completed, or the connection ended",
            source = "NVMe-oF 1.1 s3",
            level = Level.ROBUST,
            needs = {Needs.DATA_LOSS, Needs.DISRUPTION})
    void fabricsCommands() throws IOException {
        fuzz(FuzzKind.FABRICS_COMMANDS, 300);
    }

    @Check(
            says = "300 random commands before Connect: each is completed, or the connection ended",
            source = "NVMe-oF 1.1 s3.3",
            level = Level.ROBUST,
            needs = {Needs.DATA_LOSS, Needs.DISRUPTION})
    void commandsBeforeConnect() throws IOException {
        fuzz(FuzzKind.COMMANDS_BEFORE_CONNECT, 300);
    }

    @Check(
            says = "200 connections that begin with random PDU headers: the target survives",
            source = "NVMe/TCP 1.0 s3.5",
            level = Level.ROBUST,
            needs = {Needs.DATA_LOSS, Needs.DISRUPTION})
    void pduHeaders() throws IOException {
        fuzz(FuzzKind.PDU_HEADERS, 200);
    }

    @Check(
            says = "100 I/O queues that go on with random PDU headers: the target survives",
            source = "NVMe/TCP 1.0 s3.5",
            level = Level.ROBUST,
            needs = {Needs.DATA_LOSS, Needs.DISRUPTION})
    void pduHeadersOfIo() throws IOException {
        fuzz(FuzzKind.PDU_HEADERS_OF_IO, 100);
    }

    @Check(
            says = "200 good beginnings of a connection with bits turned, PDUs doubled or cut: the target survives",
            source = "NVMe/TCP 1.0 s3.5",
            level = Level.ROBUST,
            needs = {Needs.DATA_LOSS, Needs.DISRUPTION})
    void mutations() throws IOException {
        fuzz(FuzzKind.MUTATIONS, 200);
    }

    private void fuzz(FuzzKind kind, int cases) throws IOException {
        skipUnless(facts().nsid() != 0, "the subsystem has no namespace");
        byte[] guarded = new byte[GUARDED_BYTES];
        new SplittableRandom(bench().target().seed()).nextBytes(guarded);
        int blocks = GUARDED_BYTES / facts().blockBytes();
        skipUnless(facts().blocks() > 4L * blocks, "the namespace is too small");
        skipUnless(facts().maxTransferBytes() >= GUARDED_BYTES, "MDTS is below " + GUARDED_BYTES);
        expectSuccess(move(Opcode.Nvm.WRITE, blocks, out(guarded)), "Write");

        FuzzMaker maker =
                new FuzzMaker(kind, bench().target().seed(), facts().nsid(), facts().blocks(), blocks, connect());
        try (FuzzPlayer player = new FuzzPlayer(bench())) {
            for (int number = 0; number < cases; number++) {
                FuzzCase fuzz = maker.make(number);
                try {
                    player.play(fuzz);
                    if (number % CASES_BETWEEN_LOOKS == CASES_BETWEEN_LOOKS - 1) {
                        expectAlive();
                    }
                } catch (CheckFailure | IOException e) {
                    bench().attach(fuzz.fileName(), fuzz.toJson());
                    throw failure("case " + number + " of seed " + fuzz.seed() + " to be survived", e.getMessage());
                }
            }
        }
        expectAlive();
        byte[] after = expectSuccess(move(Opcode.Nvm.READ, blocks, Payload.in(GUARDED_BYTES)), "Read")
                .data();
        int differs = Arrays.mismatch(guarded, after);
        expect(differs < 0, "what was written before", "another byte " + differs);
    }

    private Answer move(int opcode, int blocks, Payload payload) throws IOException {
        Association association = associate();
        Sqe sqe = ReadWriteCommand.encode(Sqe.allocate(), opcode, facts().nsid(), 0, blocks);
        Answer answer = execute(association.io(), sqe, payload);
        association.admin().close();
        return answer;
    }
}
